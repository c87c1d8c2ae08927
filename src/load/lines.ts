import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'

/** The longest line that is read, in bytes. */
export const lineBytesMax = 8 * 1024 * 1024

export interface TextLine {
  /** From 1. */
  readonly line: number
  /** Undefined: too long, or not UTF-8; `problem` says which. */
  readonly text?: string
  readonly problem?: string
}

/** What one chunk of a stream brought: its size, and the lines that it ended. */
export interface Chunk {
  readonly bytes: number
  readonly lines: readonly TextLine[]
}

/** The lines of a stream, chunk by chunk; blank ones are passed over. */
export async function* linesOf(stream: Readable): AsyncGenerator<Chunk> {
  let rest: Buffer = Buffer.alloc(0)
  let line = 0
  let tooLong = false

  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    const lines: TextLine[] = []
    let start = 0
    for (let end = data.indexOf(newline); end !== -1; end = data.indexOf(newline, start)) {
      line += 1
      if (tooLong) lines.push({ line, problem: tooLongProblem })
      else push(lines, line, data.subarray(start, end))
      tooLong = false
      start = end + 1
    }
    rest = data.subarray(start)
    if (rest.length > lineBytesMax) {
      tooLong = true
      rest = Buffer.alloc(0)
    }
    yield { bytes: chunk.length, lines }
  }

  const last: TextLine[] = []
  if (tooLong) last.push({ line: line + 1, problem: tooLongProblem })
  else push(last, line + 1, rest)
  yield { bytes: 0, lines: last }
}

const newline = 0x0a
const tooLongProblem = `must be at most ${lineBytesMax} bytes long`
const byteOrderMark = '\ufeff'

function push(lines: TextLine[], line: number, bytes: Buffer): void {
  if (bytes.length > lineBytesMax) {
    lines.push({ line, problem: tooLongProblem })
    return
  }
  if (!isUtf8(bytes)) {
    lines.push({ line, problem: 'must be UTF-8' })
    return
  }
  const decoded = bytes.toString('utf8')
  const text = line === 1 && decoded.startsWith(byteOrderMark) ? decoded.slice(1) : decoded
  if (/\S/.test(text)) lines.push({ line, text })
}
