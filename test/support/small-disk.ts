import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Scope } from './engines.ts'

/** A small file system in memory. */
export interface SmallDisk {
  readonly folder: string
  /** Uses all free space. */
  fill(): void
  /** Frees what `fill` took. */
  free(): void
  setWritable(isWritable: boolean): void
}

/** Declares tests that need a small disk. Mounting it requires root; otherwise a message names the skipped tests. */
export function onSmallDisks(name: string, declare: () => void): void {
  if (canMount()) declare()
  else console.error(`NOT RUN, because mounting a tmpfs requires root: ${name}`)
}

export function openSmallDisk(scope: Scope, megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-disk-'))
  if (!mount(folder, megabytes)) throw new Error('cannot mount a tmpfs')
  scope.after(async () => {
    execFileSync('umount', ['--lazy', folder])
    rmdirSync(folder)
  })
  const filler = join(folder, 'filler')
  return {
    folder,
    fill() {
      const block = Buffer.alloc(4096)
      try {
        for (;;) writeFileSync(filler, block, { flag: 'a' })
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    },
    free: () => rmSync(filler),
    setWritable(isWritable) {
      execFileSync('mount', ['-o', `remount,${isWritable ? 'rw' : 'ro'}`, folder])
    },
  }
}

/** Reads until the scope ends, so that the log cannot start over: a small write would fit in its allocated space. */
export function keepLog(scope: Scope, file: string): void {
  const reader = new DatabaseSync(file)
  scope.after(async () => reader.close())
  reader.exec('begin')
  reader.prepare('select count(*) from sqlite_schema').all()
}

function mount(folder: string, megabytes: number): boolean {
  const flags = ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]
  return spawnSync('mount', flags).status === 0
}

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-disk-'))
  const isMounted = mount(folder, 1)
  if (isMounted) execFileSync('umount', [folder])
  rmdirSync(folder)
  return isMounted
}
