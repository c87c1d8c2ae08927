import type { IncomingMessage } from 'node:http'
import { createGunzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { batchBytesMax, ContractError } from '../contract/index.ts'

/** The bytes of all batches of a process that are received, parsed or committed. */
const batchBytesInFlightMax = 64 * 1024 * 1024

/** Larger than the default of zlib, for fewer and longer steps. */
const gunzipChunkBytes = 64 * 1024

/**
 * Returns a function that receives and decodes the body of a batch, and passes it to `work`. It limits the memory that
 * batches use, since each is received as a whole.
 */
export function openBatchBodies(bytesMax = batchBytesInFlightMax) {
  let bytesInFlight = 0

  return async <Result>(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (data: Buffer<ArrayBuffer>) => Promise<Result>,
  ): Promise<Result> => {
    const encoding = readEncoding(request)
    if (!ndjson.test(request.headers['content-type'] ?? '')) throw new ContractError('not_ndjson')
    const { raw } = request
    if (Number(raw.headers['content-length'] ?? 0) > batchBytesMax)
      throw new ContractError('body_too_large')
    let reserved = 0
    const receive = async (): Promise<Buffer<ArrayBuffer>> => {
      const chunks: Buffer[] = []
      for await (const chunk of encoding === 'gzip' ? gunzip(raw) : readChunks(raw)) {
        if (reserved + chunk.length > batchBytesMax) throw new ContractError('body_too_large')
        if (bytesInFlight + chunk.length > bytesMax)
          throw new ContractError('unavailable', 'too many bytes of batches are in flight')
        reserved += chunk.length
        bytesInFlight += chunk.length
        chunks.push(chunk)
      }
      return Buffer.concat(chunks)
    }
    // The request itself does not end if a timeout or an invalid end of the body was answered in place of the handler.
    const stop = () => void raw.destroy(incomplete())
    reply.raw.once('close', stop)
    try {
      const data = await receive().finally(() => reply.raw.off('close', stop))
      return await work(data)
    } finally {
      bytesInFlight -= reserved
    }
  }
}

function readEncoding({ headers }: FastifyRequest): 'gzip' | 'identity' {
  const { 'content-encoding': coding = 'identity' } = headers
  const name = coding.trim().toLowerCase()
  if (name === 'gzip' || name === 'identity') return name
  throw new ContractError('unsupported_encoding')
}

const ndjson = /^application\/x-ndjson[ \t]*(;[ \t]*charset="?utf-8"?[ \t]*)?$/i

/** Leaves the connection open if the reader stops: the response is still to be sent. */
async function* readChunks(raw: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    yield* raw.iterator({ destroyOnReturn: false })
  } catch {
    throw incomplete()
  } finally {
    // The rest is discarded: a paused stream would also block the next request of the connection.
    raw.resume()
  }
}

async function* gunzip(raw: IncomingMessage): AsyncGenerator<Buffer> {
  const decoder = createGunzip({ chunkSize: gunzipChunkBytes })
  // Pipe does not forward the end of a connection.
  const stop = () => decoder.destroy(incomplete())
  raw.once('aborted', stop).once('error', stop)
  try {
    yield* raw.pipe(decoder)
  } catch (error) {
    if (error instanceof ContractError) throw error
    throw new ContractError('invalid_request', 'the body must be valid gzip')
  } finally {
    raw.off('aborted', stop)
    raw.unpipe(decoder).resume()
    decoder.destroy()
  }
}

/** The client has disconnected, so that it does not receive this. */
function incomplete(): ContractError {
  return new ContractError('invalid_request', 'the body is incomplete')
}
