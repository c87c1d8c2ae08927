import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** A small file system of its own, which can be filled to the last byte. */
export interface Disk {
  readonly folder: string
  fill(): void
  free(): void
  remove(): void
}

const sizeMegabytes = 512
const chunkSizes = [1024 * 1024, 4096, 1]

/** Undefined where a file system cannot be mounted: that takes root. */
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
        while (isWritten(file, chunk)) {}
      }
      closeSync(file)
    },
    free: () => rmSync(filler, { force: true }),
    remove: () => execFileSync('umount', ['--lazy', folder]),
  }
}

function isWritten(file: number, chunk: Buffer): boolean {
  try {
    return writeSync(file, chunk) > 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false
    throw error
  }
}
