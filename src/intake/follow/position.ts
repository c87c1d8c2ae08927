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
  /** Of the file. A rotated file keeps it, a copy has another, and a new file may get that of a deleted one. */
  readonly inode?: string
  /** When the file was created, in nanoseconds. Unknown on some file systems. */
  readonly created?: string
  /** At offset 0: when the file was last written before it was followed. */
  readonly modified?: string
}

/** What a position stores of a file. Times are in nanoseconds. */
export interface FileIdentity {
  readonly inode: bigint
  /** 0 if the file system does not know it. */
  readonly created: bigint
  readonly modified: bigint
}

/** Whether a position is in this file, not in another one with the same content. */
export function isFileOf(position: Position, { inode, created }: FileIdentity): boolean {
  return (
    position.inode === String(inode) &&
    (position.created === undefined || created === 0n || position.created === String(created))
  )
}

interface Fingerprint {
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

export function countLineFeeds(data: Buffer): number {
  let count = 0
  for (let at = data.indexOf(newline); at >= 0; at = data.indexOf(newline, at + 1)) count += 1
  return count
}

interface Piece {
  /** Its offset in the input. */
  readonly start: number
  readonly bytes: Buffer
}

/**
 * Keeps the bytes that identify a position, until a later position is taken. A position is at the end of a line or of the
 * input: of a line that is not complete, the last bytes are enough, however long it becomes.
 */
export function openPositionTracker(firstLines: number, resumed?: Resumed, file?: FileIdentity) {
  let first = resumed?.position.first
  let beginning = Buffer.alloc(0)
  /** The offset of the end of what was read. */
  let end = resumed?.position.offset ?? 0
  /** The last offset that was taken, and the number of line feeds before it. */
  let taken = end
  let lineFeeds = resumed?.position.line ?? 0
  if (resumed && resumed.lastBytes.at(-1) !== newline) lineFeeds -= 1
  let kept: Piece[] = []
  if (resumed) kept = [{ start: end - resumed.lastBytes.length, bytes: resumed.lastBytes }]

  const keepFirst = (data: Buffer): void => {
    beginning = Buffer.concat([beginning, data.subarray(0, fingerprintBytes)])
    const lineEnd = findLineEnd(beginning, firstLines) || fingerprintBytes
    if (beginning.length < lineEnd) return
    first = fingerprint(beginning.subarray(0, Math.min(lineEnd, fingerprintBytes)))
  }

  const keep = (data: Buffer): void => {
    const before = kept.at(-1)
    end += data.length
    if (!before || before.bytes.includes(newline) || data.includes(newline)) {
      kept.push({ start: end - data.length, bytes: data })
      return
    }
    const bytes = Buffer.from(Buffer.concat([before.bytes, data]).subarray(-fingerprintBytes))
    kept[kept.length - 1] = { start: end - bytes.length, bytes }
  }

  /** Forgets what is before an offset, except for the bytes that identify it, which it returns. */
  const cut = (offset: number): Buffer => {
    const from = offset - fingerprintBytes
    const before = kept.filter(({ start }) => start < offset)
    for (const { start, bytes } of before) {
      lineFeeds += countLineFeeds(bytes.subarray(Math.max(0, taken - start), offset - start))
    }
    taken = offset
    const parts = before.map(({ start, bytes }) =>
      bytes.subarray(Math.max(0, from - start), offset - start),
    )
    const last = Buffer.concat(parts)
    const after = kept.flatMap(({ start, bytes }) => {
      const rest = bytes.subarray(Math.max(0, offset - start))
      return rest.length > 0 ? [{ start: Math.max(start, offset), bytes: rest }] : []
    })
    kept = [{ start: offset - last.length, bytes: last }, ...after]
    return last
  }

  return {
    push(data: Buffer): void {
      if (!first) keepFirst(data)
      keep(data)
    },

    /** The offset of the end of what was read. */
    end: (): number => end,

    /** The position at the end of a line. Positions never decrease. */
    at(offset: number): Position {
      const last = cut(offset)
      return {
        offset,
        line: offset === 0 || last.at(-1) === newline ? lineFeeds : lineFeeds + 1,
        // The only line may end without a newline.
        first: first ?? fingerprint(beginning),
        last: fingerprint(last),
        ...(file && { inode: String(file.inode) }),
        ...(file?.created && { created: String(file.created) }),
        ...(file && offset === 0 && { modified: String(file.modified) }),
      }
    },

    /** No position before this offset will be taken. */
    forget: (offset: number): void => void cut(offset),
  }
}

export type PositionTracker = ReturnType<typeof openPositionTracker>
