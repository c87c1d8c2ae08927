import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { openProviderStore } from '../../src/storage/open.ts'
import { describeOn, newDatabase } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import { loadInProcess } from '../support/load.ts'

const length = 101
const window = { oldest: 0n, newest: 2n ** 62n }

const moment = (index: number) => new Date(Date.UTC(2025, 0, 1) + index * 1000).toISOString()

describeOn('sqlite', 'an account with a high number, as in a database of millions', () => {
  for (const number of [262_144, 3_000_000]) {
    it(`has all entries on its pages (${number})`, async (t) => {
      const database = await newDatabase({ after: (work) => t.after(work) })
      await loadInProcess(database, [lines.customer('ana')])
      const file = new DatabaseSync(database.replace(/^sqlite:/, ''))
      file.exec(`insert into account (number, id) values (${number - 1}, 'before')`)
      file.close()
      await loadInProcess(database, [
        lines.bankingAccount('a1', { ana: true }),
        ...Array.from({ length }, (_, index) =>
          lines.transaction('a1', `t${index}`, { postingDateTime: moment(index) }),
        ),
      ])
      const store = await openProviderStore(database)
      t.after(() => store.close())
      const newestFirst = Array.from({ length }, (_, index) => `t${length - 1 - index}`)

      for (const pageSize of [1, 3, 5, 7, 25]) {
        for (const page of [1, 2, 3]) {
          const request = {
            customerId: 'ana',
            window,
            page,
            pageSize,
            list: 'transaction',
          } as const
          const ofOne = await store.listEntries({ ...request, accountId: 'a1' })
          const filters = { openStatus: 'ALL' } as const
          const merged = await store.listEntriesOfAccounts({
            ...request,
            accountIds: ['a1'],
            filters,
          })
          const expected = newestFirst.slice((page - 1) * pageSize, page * pageSize)
          assert.deepEqual(readIds(ofOne), expected)
          assert.deepEqual(readIds(merged), expected)
        }
      }
    })
  }
})

function readIds(page: object): string[] {
  assert.ok('items' in page)
  const texts = (page.items as readonly (string | Uint8Array)[]).map((item) =>
    typeof item === 'string' ? item : Buffer.from(item).toString(),
  )
  const records = JSON.parse(`[${texts.join()}]`) as { readonly transactionId: string }[]
  return records.map(({ transactionId }) => transactionId)
}
