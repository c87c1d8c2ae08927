import { createReadStream, fstatSync, type Stats, statSync } from 'node:fs'
import { basename } from 'node:path'
import { type ByteSource, createNdjsonSource } from '../../load/lines.ts'
import type { LineSource } from '../../load/source.ts'
import { CommandError } from '../../server/terminal.ts'
import { systemReason } from '../../storage/system-reason.ts'

/** A missing file is invalid usage, and is reported before anything is loaded. */
export function openInputs(names: readonly string[]): LineSource[] {
  return names.map((name) => createNdjsonSource(openInput(name)))
}

function openInput(name: string): ByteSource {
  if (name === '-') {
    return { name, ...sizeOf(fstatSync(0)), isRepeatable: false, open: () => process.stdin }
  }
  const stats = statSync(name, { throwIfNoEntry: false })
  if (!stats) throw new CommandError(2, `${name}: file not found`)
  if (stats.isDirectory()) throw new CommandError(2, `${basename(name)} is a directory, not a file`)
  return {
    name,
    ...sizeOf(stats),
    isRepeatable: stats.isFile(),
    open: () => createReadStream(name, { highWaterMark: 1024 * 1024 }),
  }
}

function sizeOf(stats: Stats): { readonly bytes?: number } {
  return stats.isFile() ? { bytes: stats.size } : {}
}

/** Undefined if the size of an input is unknown. */
export function totalSize(inputs: readonly LineSource[]): number | undefined {
  const sizes = inputs.map(({ bytes }) => bytes)
  return sizes.every((bytes) => bytes !== undefined)
    ? sizes.reduce((sum, bytes) => sum + bytes, 0)
    : undefined
}

/** A file that exists may still not be readable. */
export function toInputError(error: unknown): unknown {
  const { syscall, code, path = 'the input' } = error as NodeJS.ErrnoException
  if (syscall !== 'open' && syscall !== 'read') return error
  return new CommandError(1, `${path} cannot be read: ${systemReason(code)}`, { cause: error })
}
