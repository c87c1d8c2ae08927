import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'

export const lineBytesMax = 8 * 1024 * 1024

export interface TextLine {
  /** The line number, starting at 1. */
  readonly line: number
  /** Undefined if the line is too long or not UTF-8; `problem` contains the reason. */
  readonly text?: string
  readonly problem?: string
}

/** Consecutive lines of a stream, and their length in bytes. */
export interface Chunk {
  readonly bytes: number
  readonly lines: readonly TextLine[]
}

/** Few enough that the lines do not survive a minor garbage collection. */
const chunkLinesMax = 100

/** Reads a stream in chunks of lines and skips blank lines. */
export async function* readLines(stream: Readable): AsyncGenerator<Chunk> {
  let rest: Buffer = Buffer.alloc(0)
  let line = 0
  let tooLong = false

  for await (const read of stream as AsyncIterable<Buffer>) {
    const data = rest.length > 0 ? Buffer.concat([rest, read]) : read
    const whole = data.subarray(0, data.lastIndexOf(newline) + 1)
    const isText = isUtf8(whole)
    let lines: TextLine[] = []
    let bytes = 0
    let start = 0
    while (start < whole.length) {
      const end = whole.indexOf(newline, start)
      line += 1
      if (tooLong) lines.push({ line, problem: tooLongProblem })
      else push(lines, line, whole, start, end, isText)
      tooLong = false
      start = end + 1
      if (lines.length < chunkLinesMax) continue
      yield { bytes: start - bytes, lines }
      bytes = start
      lines = []
    }
    yield { bytes: start - bytes, lines }
    rest = data.subarray(start)
    if (rest.length > lineBytesMax) {
      tooLong = true
      rest = Buffer.alloc(0)
    }
  }

  const last: TextLine[] = []
  if (tooLong) last.push({ line: line + 1, problem: tooLongProblem })
  else push(last, line + 1, rest, 0, rest.length, isUtf8(rest))
  yield { bytes: rest.length, lines: last }
}

const newline = 0x0a
const tooLongProblem = `must be at most ${lineBytesMax} bytes long`
const byteOrderMark = '\ufeff'

/** `isText`: all of `data` is valid UTF-8, so the line need not be checked again. */
function push(
  lines: TextLine[],
  line: number,
  data: Buffer,
  start: number,
  end: number,
  isText: boolean,
): void {
  if (end - start > lineBytesMax) {
    lines.push({ line, problem: tooLongProblem })
    return
  }
  if (!isText && !isUtf8(data.subarray(start, end))) {
    lines.push({ line, problem: 'must be UTF-8' })
    return
  }
  const decoded = data.toString('utf8', start, end)
  const text = line === 1 && decoded.startsWith(byteOrderMark) ? decoded.slice(1) : decoded
  if (/\S/.test(text)) lines.push({ line, text })
}
