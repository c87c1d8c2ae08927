import { createHash } from 'node:crypto'

/** Where a follower continues: how much of its input is committed, and how that input is recognised. */
export interface Position {
  /** In bytes, at the end of a line. */
  readonly offset: number
  /** The number of the last line. */
  readonly line: number
  /** The beginning of the input: at most its first line, or in a table the header and the line after it. */
  readonly first: Fingerprint
  /** What precedes `offset`. */
  readonly last: Fingerprint
}

export interface Fingerprint {
  readonly bytes: number
  readonly digest: string
}

/** How many bytes identify the beginning and the end. */
const fingerprintBytes = 4096

const newline = 0x0a

export function fingerprint(bytes: Buffer): Fingerprint {
  return { bytes: bytes.length, digest: createHash('sha256').update(bytes).digest('base64url') }
}

export function isFingerprintOf({ bytes, digest }: Fingerprint, data: Buffer): boolean {
  return data.length === bytes && fingerprint(data).digest === digest
}

/** What is known of an input that is continued. */
export interface Resumed {
  readonly position: Position
  /** What `position.last` is the fingerprint of. */
  readonly lastBytes: Buffer
  /** If it is a table. */
  readonly header: Buffer
}

/** How long the header of a table may be. */
export const headerBytesMax = 64 * 1024

/** The first row of a table, with its line feed and the blank lines before it. Empty if it is incomplete or too long. */
export function cutHeader(data: Buffer): Buffer {
  const start = data.toString('latin1', 0, headerBytesMax)
  const [header = ''] = /^\s*("[^"]*"|[^"\s])("[^"]*"|[^"\n])*\n/.exec(start) ?? []
  return Buffer.from(data.subarray(0, header.length))
}

/** The offset after a number of lines, or 0 if there are fewer. */
export function findLineEnd(data: Buffer, lines: number): number {
  let end = 0
  for (let count = 0; count < lines; count += 1) {
    end = data.indexOf(newline, end) + 1
    if (end === 0) return 0
  }
  return end
}

/** Keeps the bytes that identify a position, until a later position is taken. */
export function openPositionTracker(firstLines: number, resumed?: Resumed) {
  let first = resumed?.position.first
  let beginning = Buffer.alloc(0)
  let kept: Buffer[] = resumed ? [resumed.lastBytes] : []
  /** The offset of the end of `kept`. */
  let end = resumed?.position.offset ?? 0

  const keepFirst = (data: Buffer): void => {
    beginning = Buffer.concat([beginning, data.subarray(0, fingerprintBytes)])
    const lineEnd = findLineEnd(beginning, firstLines) || fingerprintBytes
    if (beginning.length < lineEnd) return
    first = fingerprint(beginning.subarray(0, Math.min(lineEnd, fingerprintBytes)))
  }

  return {
    push(data: Buffer): void {
      if (!first) keepFirst(data)
      kept.push(data)
      end += data.length
    },

    /** The offset of the end of what was read. */
    end: (): number => end,

    /** The position at the end of a line. Positions never decrease. */
    at(offset: number, line: number): Position {
      const all = kept.length === 1 ? (kept[0] as Buffer) : Buffer.concat(kept)
      const start = end - all.length
      const from = Math.max(start, offset - fingerprintBytes)
      kept = [all.subarray(from - start)]
      return {
        offset,
        line,
        // The only line may end without a newline.
        first: first ?? fingerprint(beginning),
        last: fingerprint(all.subarray(from - start, offset - start)),
      }
    },
  }
}

export type PositionTracker = ReturnType<typeof openPositionTracker>
