import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import fc from 'fast-check'
import { formatLine } from '../../src/intake/dump.ts'
import type { LineCounts } from '../../src/intake/line-counts.ts'
import type { LineError } from '../../src/intake/writer.ts'
import { dumpProvider } from '../../src/storage/open.ts'
import { deleteAllData, describeOnLayouts, newDatabase, runSql } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { propertyRuns } from '../support/properties.ts'
import { type LoadOptions, loadAt } from './bank.ts'
import { baseLines, randomLines } from './random-lines.ts'

const options = fc.record(
  { batch: fc.constantFrom(4, 9), skipInvalid: fc.constant(true) },
  { requiredKeys: [] },
)
const loads = fc.array(fc.record({ lines: randomLines, hasBaseLines: fc.boolean(), options }), {
  minLength: 1,
  maxLength: 5,
})

describeOnLayouts('a load', () => {
  it('has the same errors, counts and dump as on SQLite', async (t) => {
    const postgres = await newDatabase(t)
    const folder = await temporaryFolder(t)
    let runs = 0
    let succeeded = 0
    let total = 0

    await fc.assert(
      fc.asyncProperty(loads, async (loads) => {
        runs += 1
        const sqlite = `sqlite:${join(folder, `${runs}.db`)}`
        await deleteAllData(postgres)
        for (const [index, { lines, hasBaseLines, options }] of loads.entries()) {
          const pieces = [...(hasBaseLines ? baseLines : []), ...lines].map((each) =>
            Buffer.from(`${each}\n`),
          )
          const at = Temporal.Instant.from('2026-01-01T00:00:00Z').add({ hours: index })
          const result = await loadAt(postgres, at, pieces, options)
          const expected = await loadAt(sqlite, at, pieces, options)

          assert.deepEqual(formatErrors(result.errors), formatErrors(expected.errors))
          assert.deepEqual(
            formatCounts(result.counts, options),
            formatCounts(expected.counts, options),
          )
          assert.deepEqual(await dumpLines(postgres), await dumpLines(sqlite))
          await assertOrdinals(postgres)
          total += 1
          if (result.errors.length === 0) succeeded += 1
        }
      }),
      propertyRuns(5),
    )
    assert.ok(succeeded > total / 3, `only ${succeeded} of ${total} loads succeeded`)
  })
})

function formatErrors(errors: readonly LineError[]): string[] {
  return errors.map(({ line, path, reason }) => `${line} ${path} ${reason}`)
}

/**
 * In batches, an account before its holder that is removed in the same batch is created and deleted on PostgreSQL, and
 * deferred and never created on SQLite.
 */
function formatCounts(counts: LineCounts, { batch, skipInvalid }: LoadOptions): string[] {
  const isExact = batch === undefined && skipInvalid === undefined
  return Array.from(counts, ([type, { created, changed, unchanged, deleted }]) => {
    const lines = [created, changed, unchanged, deleted]
    return `${type} ${isExact ? lines : lines.reduce((sum, count) => sum + count)}`
  }).sort()
}

async function dumpLines(database: string): Promise<string[]> {
  return (await Array.fromAsync(dumpProvider(database))).map(formatLine)
}

/** Ordinals start at 1 in every list, by time and then by descending id. */
async function assertOrdinals(database: string): Promise<void> {
  const wrong = await runSql(
    `select * from (
       select account, list, id, ordinal,
         row_number() over (partition by account, list order by time, id desc) as place
       from entry) e where ordinal <> place`,
    database,
  )
  assert.deepEqual(wrong, [])
}
