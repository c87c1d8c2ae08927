import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { it } from 'node:test'
import { createNdjsonSource } from '../../src/load/lines.ts'
import { load } from '../../src/load/load.ts'
import { openRejectedLines } from '../../src/load/rejected-lines.ts'
import { createDatabase, openProviderWriter } from '../../src/storage/open.ts'
import { describe } from '../support/engines.ts'
import { openBank, splitLines } from './bank.ts'
import { line, put } from './lines.ts'

/** Loads the valid lines; returns the others. */
async function loadValid(database: string, lines: readonly string[], batch?: number) {
  await createDatabase(database)
  const loadTime = Temporal.Now.instant()
  const writer = await openProviderWriter(database, { loadTime, inBatches: true })
  const rejected = openRejectedLines()
  const open = () => Readable.from([Buffer.from(lines.map((each) => `${each}\n`).join(''))])
  try {
    await load([createNdjsonSource({ name: 'data', open })], writer, {
      skipInvalid: true,
      ...(batch !== undefined && { batch }),
      onError: (error) => rejected.add(error),
    })
  } finally {
    await writer.close()
  }
  return lines.filter((_, index) => rejected.has({ file: 0, line: index + 1 }))
}

describe('a load that skips invalid lines', () => {
  const invalidCustomer = line('customer', { id: 'c2' })
  const invalidAccount = put.account('a2', ['c1'], { openStatus: 'AJAR' })
  const valid = [
    put.customer('c1'),
    put.account('a1', ['c1']),
    put.balance('a1'),
    put.transaction('a1', 't1'),
  ]
  const dependent = [
    put.balance('a2'),
    put.transaction('a2', 't2'),
    put.account('a3', ['c2']),
    put.balance('a3'),
    put.transaction('a3', 't3'),
    put.energyAccount('a1', ['c1']),
    put.invoice('a1', 'i1'),
  ]
  const lines = [
    ...dependent.slice(0, 3),
    invalidCustomer,
    ...valid,
    invalidAccount,
    ...dependent.slice(3),
  ]

  for (const batch of [undefined, 1, 4]) {
    it(`commits the others, and rejects what depends on them, in batches of ${batch}`, async (t) => {
      const bank = await openBank(t)

      const rejected = await loadValid(bank.database(), lines, batch)

      assert.deepEqual(
        rejected,
        lines.filter((each) => !valid.includes(each)),
      )
      assert.deepEqual(splitLines(await bank.dump()).sort(), valid.toSorted())
    })
  }
})
