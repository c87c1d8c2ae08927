/** A body of `fetch`, or of `node:http`. */
export type Body = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | null

/** The bytes of a body; undefined if there are more than the limit, in which case the rest is not read. */
export async function readBytes(body: Body, bytesMax: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of toIterable(body)) {
    length += chunk.length
    if (length > bytesMax) return undefined
    chunks.push(chunk)
  }
  return concatenate(chunks, length)
}

function toIterable(body: Body): AsyncIterable<Uint8Array> | readonly Uint8Array[] {
  if (body === null) return []
  return 'getReader' in body ? readChunks(body) : body
}

/** Not every browser can iterate over a stream. */
async function* readChunks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { value } = await reader.read()
      if (!value) return
      yield value
    }
  } finally {
    await reader.cancel()
  }
}

function concatenate(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}
