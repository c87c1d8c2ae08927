import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { openProviderStore } from '../../src/storage/open.ts'
import { describeOn, newDatabase } from '../support/engines.ts'
import { openFeeds } from '../support/feed.ts'
import * as lines from '../support/lines.ts'
import { loadInProcess } from '../support/load.ts'

/** Two blocks of the search index, and entries that none covers. */
const length = 4096 + 1800
const covered = 4096 + 1792

const moment = (index: number) => new Date(Date.UTC(2025, 0, 1) + index * 1000).toISOString()

function transaction(index: number, fields: object = {}) {
  const usual = { postingDateTime: moment(index), description: 'Rent for May', amount: '12.50' }
  return lines.transaction('a1', `t${index}`, { ...usual, ...fields })
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
    async count(filter: {
      text?: string
      minAmount?: string
      maxAmount?: string
    }): Promise<number> {
      const page = await store.listEntries({ ...request, ...filter, list: 'transaction' })
      assert.ok('total' in page)
      return page.total
    },
    countCovered: () =>
      file
        .prepare('select coalesce(sum(length(amounts)), 0) / 4 as covered from entry_amounts')
        .get()?.['covered'],
  }
}

describeOn('sqlite', 'the blocks of a search index', () => {
  it('include corrections', async (t) => {
    const { database, count, countCovered } = await openLongList(t)
    const corrected = transaction(5000, { description: 'Food', amount: '1' })

    await loadInProcess(database, [corrected])

    assert.equal(countCovered(), covered)
    assert.equal(await count({ text: 'food' }), 1)
    assert.equal(await count({ text: 'rent' }), length - 1)
    assert.equal(await count({ maxAmount: '12.49' }), 1)
  })

  it('are completed by feeds, one block in each commit for all lists', async (t) => {
    const { database, file, countCovered } = await openLongList(t)
    const ofOther = (index: number) =>
      lines.transaction('a2', `t${index}`, { postingDateTime: moment(index) })
    await loadInProcess(database, [
      lines.bankingAccount('a2', { ana: true }),
      ...Array.from({ length: 300 }, (_, index) => ofOther(index)),
    ])
    file.exec('delete from entry_amounts; delete from entry_texts')
    const feeds = await openFeeds({ after: (work) => t.after(work) }, database)

    await feeds.add(JSON.stringify(transaction(length)), JSON.stringify(ofOther(300)))
    const counts = [countCovered()]
    for (const email of ['one@example.com', 'two@example.com', 'three@example.com']) {
      await feeds.add(JSON.stringify(lines.customer('ana', { email })))
      counts.push(countCovered())
    }

    const ofBoth = covered + 256
    assert.deepEqual(counts, [4096, covered, ofBoth, ofBoth])
  })
})
