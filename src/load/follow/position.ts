import { createHash } from 'node:crypto'

/** Where a follower continues: how much of its input is committed, and how that input is recognised. */
export interface Position {
  /** In bytes, at the end of a line. */
  readonly offset: number
  /** The number of the last line. */
  readonly line: number
  /** The beginning of the input: at most its first line. */
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
  /** With its line feed. */
  readonly firstLine: Buffer
}

/** How long the header of a table may be. */
export const firstLineBytesMax = 64 * 1024

export function cutFirstLine(data: Buffer): Buffer {
  return Buffer.from(data.subarray(0, data.indexOf(newline) + 1))
}

/** Keeps the bytes that identify a position, until a later position is taken. */
export function openPositionTracker(resumed?: Resumed) {
  let first = resumed?.position.first
  let beginning = Buffer.alloc(0)
  let kept: Buffer[] = resumed ? [resumed.lastBytes] : []
  /** The offset of the end of `kept`. */
  let end = resumed?.position.offset ?? 0

  const keepFirst = (data: Buffer): void => {
    beginning = Buffer.concat([beginning, data.subarray(0, fingerprintBytes)])
    const lineEnd = beginning.indexOf(newline) + 1 || fingerprintBytes
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
