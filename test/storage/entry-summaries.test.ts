import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { openProviderStore } from '../../src/storage/open.ts'
import { describeOn, newDatabase } from '../support/engines.ts'
import { openFeeds } from '../support/feed.ts'
import * as lines from '../support/lines.ts'
import { loadInProcess } from '../support/load.ts'

/** Two blocks of summaries, and entries that none covers. */
const length = 4096 + 1800
const covered = 4096 + 1792

const moment = (index: number) => new Date(Date.UTC(2025, 0, 1) + index * 1000).toISOString()

function transaction(index: number) {
  const fields = { postingDateTime: moment(index), description: 'Rent for May', amount: '12.50' }
  return lines.transaction('a1', `t${index}`, fields)
}

async function openLongList(t: TestContext) {
  const database = await newDatabase({ after: (work) => t.after(work) })
  await loadInProcess(database, [
    lines.customer('ana'),
    lines.bankingAccount('a1', { ana: true }),
    ...Array.from({ length }, (_, index) => transaction(index)),
  ])
  const store = await openProviderStore(database)
  t.after(() => store.close())
  const window = { oldest: 0n, newest: 2n ** 62n }
  const request = { customerId: 'ana', accountId: 'a1', window, page: 1, pageSize: 25 }
  const file = new DatabaseSync(database.replace(/^sqlite:/, ''))
  t.after(() => file.close())
  return {
    database,
    file,
    async count(filter: { text?: string; minAmount?: string }): Promise<number> {
      const page = await store.listEntries({ ...request, ...filter, list: 'transaction' })
      assert.ok('total' in page)
      return page.total
    },
    countCovered: () =>
      file.prepare('select sum(length(amounts) / 4) as covered from entry_amounts').get()?.[
        'covered'
      ],
  }
}

describeOn('sqlite', 'the summaries of a long list', () => {
  it('exclude entries from a search by text without reading them', async (t) => {
    const { file, count } = await openLongList(t)

    file.exec('update entry_texts set texts = zeroblob(length(texts))')

    assert.equal(await count({ text: 'rent' }), length - covered)
    assert.equal(await count({ text: 're' }), length)
  })

  it('count the entries with amounts in a range without reading them', async (t) => {
    const { file, count } = await openLongList(t)

    file.exec('update entry_amounts set amounts = zeroblob(length(amounts))')

    assert.equal(await count({ minAmount: '12.50' }), length - covered)
    assert.equal(await count({ minAmount: '0' }), length)
  })

  it('are not needed: a list of an earlier version is searched without them', async (t) => {
    const { file, count } = await openLongList(t)

    file.exec('delete from entry_amounts; delete from entry_texts')

    assert.equal(await count({ text: 'rent' }), length)
    assert.equal(await count({ minAmount: '12.50' }), length)
  })

  it('of an earlier version are completed by the next load', async (t) => {
    const { database, file, count, countCovered } = await openLongList(t)
    file.exec('delete from entry_amounts; delete from entry_texts')

    await loadInProcess(database, [transaction(length)])

    assert.equal(countCovered(), covered)
    assert.equal(await count({ text: 'rent' }), length + 1)
  })

  it('of an earlier version are completed by feeds, one block in each batch', async (t) => {
    const { database, file, count, countCovered } = await openLongList(t)
    file.exec('delete from entry_amounts; delete from entry_texts')
    const feeds = await openFeeds({ after: (work) => t.after(work) }, database)

    await feeds.add(JSON.stringify(transaction(length)))
    assert.equal(countCovered(), 4096)
    await feeds.add(JSON.stringify(transaction(length + 1)))

    assert.equal(countCovered(), covered)
    assert.equal(await count({ text: 'rent' }), length + 2)
  })
})
