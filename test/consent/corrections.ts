import assert from 'node:assert/strict'
import type { CorrectionNotice } from '../../src/contract/index.ts'
import type { DisclosureRecord } from '../../src/disclosures/record.ts'
import { openConsentStore } from '../../src/storage/open.ts'
import { openBank } from '../load/bank.ts'
import { put } from '../load/lines.ts'
import type { Scope } from '../support/engines.ts'
import { runInProcess } from '../support/process.ts'
import { discloseRecords } from './disclose.ts'

export const timeZone = 'Australia/Sydney'
export const correct = (line: string): string => `${line.slice(0, -1)},"correction":true}`

/** A provider and a platform with one database. */
export async function openCorrections(t: Scope) {
  const bank = await openBank(t)
  await bank.fill([
    put.customer('c1'),
    put.customer('c2'),
    put.account('a1', ['c1'], { users: [{ id: 1 }] }),
    put.account('a2', ['c1'], { users: [{ id: 1 }] }),
    put.energyAccount('e1', ['c1']),
  ])
  const store = await openConsentStore(bank.database())
  t.after(() => store.close())
  const start = Temporal.Now.instant().subtract({ hours: 1 })
  const run = (...args: readonly string[]) =>
    runInProcess([...args, '--database', bank.database()], { HOLDFAST_TIME_ZONE: timeZone })
  return {
    bank,
    store,
    start,
    run,
    disclose: (...records: readonly Partial<DisclosureRecord>[]) =>
      discloseRecords(store, start, ...records),
    async list(...flags: readonly string[]): Promise<CorrectionNotice[]> {
      const { status, stdout, stderr } = await run('records', 'corrections', ...flags)
      assert.equal(status, 0, stderr)
      return stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line))
    },
  }
}
