import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import fc from 'fast-check'
import { formatLine } from '../../src/load/dump.ts'
import type { LineError } from '../../src/load/writer.ts'
import { dumpProvider } from '../../src/storage/open.ts'
import { describeOn, newDatabase, runSql } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { propertyRuns } from '../support/properties.ts'
import { loadAt } from './bank.ts'
import { baseLines, randomLines } from './random-lines.ts'

const batch = fc.option(fc.constantFrom(4, 9), { nil: undefined })
const loads = fc.array(fc.record({ lines: randomLines, hasBaseLines: fc.boolean(), batch }), {
  minLength: 1,
  maxLength: 5,
})

describeOn('postgres', 'a load', () => {
  it('has the same errors and the same dump as on SQLite', async (t) => {
    const postgres = await newDatabase(t)
    const folder = await temporaryFolder(t)
    let runs = 0
    let succeeded = 0
    let total = 0

    await fc.assert(
      fc.asyncProperty(loads, async (loads) => {
        runs += 1
        const sqlite = `sqlite:${join(folder, `${runs}.db`)}`
        await runSql(
          'truncate customer, account, holder, balance, contact, entry, product, product_version',
          postgres,
        )
        for (const [index, { lines, hasBaseLines, batch }] of loads.entries()) {
          const pieces = [...(hasBaseLines ? baseLines : []), ...lines].map((each) =>
            Buffer.from(`${each}\n`),
          )
          const at = Temporal.Instant.from('2026-01-01T00:00:00Z').add({ hours: index })
          const batching = batch === undefined ? {} : { batch }
          const errors = [
            await loadAt(postgres, at, pieces, batching),
            await loadAt(sqlite, at, pieces, batching),
          ] as const

          assert.deepEqual(formatErrors(errors[0]), formatErrors(errors[1]))
          assert.deepEqual(await dumpLines(postgres), await dumpLines(sqlite))
          await assertOrdinals(postgres)
          total += 1
          if (errors[0].length === 0) succeeded += 1
        }
      }),
      propertyRuns(8),
    )
    assert.ok(succeeded > total / 3, `only ${succeeded} of ${total} loads succeeded`)
  })
})

function formatErrors(errors: readonly LineError[]): string[] {
  return errors.map(({ line, path, reason }) => `${line} ${path} ${reason}`)
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
