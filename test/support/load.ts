import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { createNdjsonSource } from '../../src/intake/lines.ts'
import { load } from '../../src/intake/load.ts'
import { openProviderWriter } from '../../src/storage/open.ts'
import { requireSchema } from './engines.ts'
import { runInProcess } from './process.ts'

/** A line as an object, or as its exact text. */
export type Line = object | string

/** Loads lines in this process, with the given load time. */
export async function loadInProcess(
  database: string,
  lines: readonly Line[],
  loadTime = Temporal.Now.instant().toString(),
): Promise<void> {
  await requireSchema(database)
  const writer = await openProviderWriter(database, { loadTime: Temporal.Instant.from(loadTime) })
  try {
    const open = () => Readable.from([Buffer.from(ndjson(lines))])
    await load([createNdjsonSource({ name: 'lines', open })], writer, {
      onError: ({ line, path, reason }) => assert.fail(`line ${line}: ${path} ${reason}`),
    })
  } finally {
    await writer.close()
  }
}

/** The output of `holdfast dump`. */
export async function dumpDatabase(database: string): Promise<string> {
  const { status, stdout, stderr } = await runInProcess(['dump', '--database', database])
  assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
  return stdout
}

function ndjson(lines: readonly Line[]): string {
  return lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')
}
