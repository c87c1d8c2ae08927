import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** A small separate file system that can be filled completely. */
export interface Disk {
  readonly folder: string
  fill(): void
  free(): void
  remove(): void
}

const sizeMegabytes = 512
const chunkSizes = [1024 * 1024, 4096, 1]

/** Undefined if a file system cannot be mounted, which requires root. */
export function openDisk(parent: string): Disk | undefined {
  const folder = join(parent, 'disk')
  mkdirSync(folder, { mode: 0o700 })
  try {
    const options = `size=${sizeMegabytes}m,mode=0700`
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  const filler = join(folder, 'filler')
  return {
    folder,
    fill() {
      const file = openSync(filler, 'w')
      for (const size of chunkSizes) {
        const chunk = Buffer.alloc(size)
        while (writeChunk(file, chunk)) {}
      }
      closeSync(file)
    },
    free: () => rmSync(filler, { force: true }),
    remove: () => execFileSync('umount', ['--lazy', folder]),
  }
}

/** Returns false if the disk is full. */
function writeChunk(file: number, chunk: Buffer): boolean {
  try {
    return writeSync(file, chunk) > 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false
    throw error
  }
}
