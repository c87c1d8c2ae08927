import { isUtf8 } from 'node:buffer'
import { addAbortSignal, Readable } from 'node:stream'
import type { Chunk, LineSource, ReadOptions, TextLine } from './source.ts'

export const lineBytesMax = 8 * 1024 * 1024

export const notUtf8Reason = 'must be UTF-8'

/** Bytes that are read as lines. */
export interface ByteSource {
  readonly name: string
  readonly bytes?: number
  /** Whether `open` can be called again, and gives the same bytes then. The default is true. */
  readonly isRepeatable?: boolean
  open(): AsyncIterable<Buffer>
}

/** A source of lines that are in the NDJSON import format already. */
export function createNdjsonSource(source: ByteSource): LineSource {
  return { isRepeatable: true, ...source, read: (options) => readLines(source, options) }
}

export function openStream({ open }: ByteSource, { signal }: ReadOptions): AsyncIterable<Buffer> {
  const stream = open()
  return signal && stream instanceof Readable ? addAbortSignal(signal, stream) : stream
}

/** Few enough that the lines do not survive a minor garbage collection. */
export const chunkLinesDefault = 100

/** Blank lines included: a reader must be able to yield to the event loop between chunks. */
const scannedMax = 10_000

/** Reads lines in chunks and skips blank ones. */
export async function* readLines(
  source: ByteSource,
  options: ReadOptions = {},
): AsyncGenerator<Chunk> {
  const { withRaw = false, chunkLinesMax = chunkLinesDefault, bytesMax = lineBytesMax } = options
  const tooLongProblems = [{ path: '', reason: `must be at most ${bytesMax} bytes long` }]
  let rest: Buffer = Buffer.alloc(0)
  let line = 0
  let tooLong = false
  /** Of the beginning of a line that is too long. */
  let dropped = 0

  for await (const read of openStream(source, options)) {
    const data = rest.length > 0 ? Buffer.concat([rest, read]) : read
    const whole = data.subarray(0, data.lastIndexOf(newline) + 1)
    const isText = isUtf8(whole)
    let lines: TextLine[] = []
    let lineBefore = line
    let bytes = 0
    let start = 0
    while (start < whole.length) {
      const end = whole.indexOf(newline, start)
      line += 1
      if (tooLong || end - start > bytesMax) lines.push({ line, problems: tooLongProblems })
      else push(lines, line, whole.subarray(start, end), isText, withRaw)
      tooLong = false
      start = end + 1
      if (lines.length < chunkLinesMax && line - lineBefore < scannedMax) continue
      yield { bytes: dropped + start - bytes, lines }
      dropped = 0
      bytes = start
      lineBefore = line
      lines = []
    }
    if (start > bytes) {
      yield { bytes: dropped + start - bytes, lines }
      dropped = 0
    }
    rest = data.subarray(start)
    if (rest.length > bytesMax) {
      tooLong = true
      dropped += rest.length
      rest = Buffer.alloc(0)
    }
  }

  const last: TextLine[] = []
  if (tooLong) last.push({ line: line + 1, problems: tooLongProblems })
  else push(last, line + 1, rest, isUtf8(rest), withRaw)
  yield { bytes: dropped + rest.length, lines: last }
}

const newline = 0x0a
const notUtf8Problems = [{ path: '', reason: notUtf8Reason }]
const byteOrderMark = '\ufeff'

/** `isText`: the bytes are known to be valid UTF-8. */
function push(
  lines: TextLine[],
  line: number,
  bytes: Buffer,
  isText: boolean,
  withRaw: boolean,
): void {
  const raw = withRaw ? { raw: bytes } : {}
  if (!isText && !isUtf8(bytes)) {
    lines.push({ line, problems: notUtf8Problems, ...raw })
    return
  }
  const decoded = bytes.toString('utf8')
  const text = line === 1 && decoded.startsWith(byteOrderMark) ? decoded.slice(1) : decoded
  if (/\S/.test(text)) lines.push({ line, text, ...raw })
}
