import type { BigIntStats } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { type FileIdentity, isFileOf, isFingerprintOf, type Position } from './position.ts'
import { LostPosition } from './segment.ts'

export interface FoundFile extends FileIdentity {
  readonly path: string
  readonly device: bigint
  readonly size: number
}

/** Only a regular file: a folder or a pipe with the name of one contains no lines. */
export async function findFile(path: string): Promise<FoundFile | undefined> {
  const stats = await stat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return stats?.isFile() ? describeFile(path, stats) : undefined
}

export function describeFile(path: string, stats: BigIntStats): FoundFile {
  const { ino: inode, dev: device, birthtimeNs: created, mtimeNs: modified, size } = stats
  return { path, inode, device, created, modified, size: Number(size) }
}

export function isSameFile(a: FoundFile, b: FoundFile): boolean {
  return a.inode === b.inode && a.device === b.device
}

/**
 * The rotated files of a path, oldest first: names with a number or a date, such as `data.ndjson.1`,
 * `data.ndjson-20261116` or `data-2026-11-16.ndjson`. Other files with similar names are not data of the feed.
 */
async function listRotated(path: string): Promise<FoundFile[]> {
  const extension = extname(path)
  const base = basename(path)
  const stem = basename(path, extension)
  const isRotated = (name: string): boolean => {
    if (!name.startsWith(stem)) return false
    const suffix = name.slice(stem.length).replace(extension, '')
    return /^[.-]\d[\dT:_.-]*(\.(gz|bz2|xz|zst))?$/.test(suffix)
  }
  const names = (await readdir(dirname(path))).filter((name) => name !== base && isRotated(name))
  const files = await Promise.all(names.map((name) => findFile(join(dirname(path), name))))
  return files.filter((file) => file !== undefined).sort(compareAge)
}

/**
 * Oldest first. Files may have been written within the resolution of the clock: then a lower number is newer, and a
 * later date.
 */
function compareAge(a: FoundFile, b: FoundFile): number {
  if (a.modified !== b.modified) return a.modified < b.modified ? -1 : 1
  const order = a.path.localeCompare(b.path, 'en', { numeric: true })
  return /\D\d{1,3}$/.test(a.path.replace(/\.[a-z]\w*$/, '')) ? -order : order
}

/** The files that were rotated after a file, oldest first. */
export async function findLaterFiles(path: string, before: FoundFile): Promise<FoundFile[]> {
  const rotated = await listRotated(path)
  const index = rotated.findIndex((file) => isSameFile(file, before))
  const later =
    index === -1 ? rotated.filter((file) => compareAge(file, before) > 0) : rotated.slice(index + 1)
  const unread = later.filter(({ size }) => size > 0)
  const compressed = unread.find(({ path: name }) => /\.(gz|bz2|xz|zst)$/.test(name))
  if (compressed) {
    throw new LostPosition(`${compressed.path} was not read yet: decompress it and start again`)
  }
  return unread
}

/**
 * The file that contains a position: the path itself or a rotated file. Files may have the same beginning, so the one
 * that was read is recognised by its inode and the time of its creation. Before the first line, copies are like any other
 * file.
 */
export async function findPosition(
  path: string,
  position: Position,
): Promise<FoundFile | undefined> {
  const rotated = await listRotated(path)
  const found: FoundFile[] = []
  for (const file of [...rotated, await findFile(path)]) {
    if (file && (await contains(file, position))) found.push(file)
  }
  const read = found.find((file) => isFileOf(position, file))
  if (read?.path === path) requireNoCopy(rotated, position)
  if (read || found.length <= 1) return read ?? found[0]
  if (position.offset === 0) return undefined
  const names = found.map((file) => file.path).join(' and ')
  throw new LostPosition(
    `${names} have the same lines up to line ${position.line.toLocaleString('en')}, where the feed continues: move away those that it has read to their end, and start again`,
  )
}

/** A file that is truncated instead of renamed has left its lines in a copy. */
function requireNoCopy(rotated: readonly FoundFile[], { offset, modified }: Position): void {
  if (offset > 0 || modified === undefined) return
  const start = BigInt(modified)
  const copy = rotated.find(
    (file) => file.size > 0 && (file.modified > start || file.created > start),
  )
  if (!copy) return
  throw new LostPosition(
    `${copy.path} was written after the feed began, and may have lines that were not read: load it with holdfast load, move it away, and start again`,
  )
}

async function contains({ path, size }: FoundFile, position: Position): Promise<boolean> {
  const { offset, first, last } = position
  if (size < offset) return false
  return (
    isFingerprintOf(first, await readBytes(path, 0, first.bytes)) &&
    isFingerprintOf(last, await readBytes(path, offset - last.bytes, last.bytes))
  )
}

export async function readBytes(path: string, offset: number, bytes: number): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, offset)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
