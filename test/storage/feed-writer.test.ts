import assert from 'node:assert/strict'
import { it } from 'node:test'
import { batchErrorsFoundMax } from '../../src/contract/index.ts'
import {
  type BatchOutcome,
  clientFeedsMax,
  feedsMax,
  rememberedBatches,
} from '../../src/intake/feed-writer.ts'
import { put, removal, undated } from '../load/lines.ts'
import { describe } from '../support/engines.ts'
import { commitOne, createBatch, openFeeds } from '../support/feed.ts'
import { dumpDatabase, loadInProcess } from '../support/load.ts'

const customerLine = put.customer('c1')
const accountLine = put.account('a1', ['c1'])
const oneCreated = { lines: 1, created: 1, changed: 0, unchanged: 0, deleted: 0 }

function conflictOf(outcome: BatchOutcome | undefined) {
  assert.ok(outcome && 'conflict' in outcome, JSON.stringify(outcome))
  return outcome.conflict
}

describe('the numbers of a feed', () => {
  it('commits batches in order, and shows them to other connections', async (t) => {
    const { writer, store, database } = await openFeeds(t)
    assert.deepEqual(await store.list(), [])
    const first = createBatch('core', 1, [customerLine])
    assert.equal(await writer.findOutcome(first), undefined)
    assert.deepEqual(await commitOne(writer, first), { result: oneCreated })
    assert.deepEqual(await commitOne(writer, createBatch('core', 2, [accountLine])), {
      result: oneCreated,
    })
    const time = Date.parse('2025-07-01T00:00:00Z')
    assert.deepEqual(await store.find('core'), { name: 'core', batch: 2, time, lines: 2, usual: 0 })
    assert.equal(await dumpDatabase(database), `${customerLine}\n${accountLine}\n`)
  })

  it('answers a repeated batch with its stored result, and changes nothing', async (t) => {
    const { writer, store, setClock } = await openFeeds(t)
    const batch = createBatch('core', 1, [customerLine])
    await commitOne(writer, batch)
    await commitOne(writer, createBatch('core', 2, [put.customer('c2')]))
    const before = await store.find('core')
    setClock('2025-08-01T00:00:00Z')
    assert.deepEqual(await writer.findOutcome(batch), { result: oneCreated })
    assert.deepEqual(await commitOne(writer, batch), { result: oneCreated })
    assert.deepEqual(await store.find('core'), before)
  })

  it('rejects other lines under a used number, and a gap', async (t) => {
    const { writer, store } = await openFeeds(t)
    await commitOne(writer, createBatch('core', 1, [customerLine]))
    for (const [number, reason] of [
      [1, 'different'],
      [3, 'gap'],
    ] as const) {
      const batch = createBatch('core', number, [put.customer('c2')])
      assert.deepEqual(conflictOf(await writer.findOutcome(batch)), { reason, expected: 2 })
      assert.deepEqual(conflictOf(await commitOne(writer, batch)), { reason, expected: 2 })
    }
    const unknown = createBatch('other', 2, [customerLine])
    assert.deepEqual(conflictOf(await writer.findOutcome(unknown)), { reason: 'gap', expected: 1 })
    assert.equal((await store.find('core'))?.batch, 1)
    assert.equal(await store.find('other'), undefined)
  })

  it(`remembers the last ${rememberedBatches} batches`, async (t) => {
    const { writer } = await openFeeds(t)
    const batches = Array.from({ length: rememberedBatches + 1 }, (_, index) =>
      createBatch('core', index + 1, []),
    )
    await writer.commit(batches)
    const [first, second] = batches
    assert.ok(first && second)
    const expected = rememberedBatches + 2
    assert.deepEqual(conflictOf(await commitOne(writer, first)), { reason: 'forgotten', expected })
    const result = { lines: 0, created: 0, changed: 0, unchanged: 0, deleted: 0 }
    assert.deepEqual(await commitOne(writer, second), { result })
  })

  it('commits one of two batches with the same number from different writers', async (t) => {
    const { writer, openWriter, store, database } = await openFeeds(t)
    const other = await openWriter()
    for (let number = 1; number <= 10; number += 1) {
      const outcomes = await Promise.all(
        [writer, other].map((each, index) =>
          commitOne(each, createBatch('core', number, [put.customer(`${number}-${index}`)])),
        ),
      )
      assert.equal(outcomes.filter((outcome) => 'result' in outcome).length, 1)
      const rejected = outcomes.find((outcome) => 'conflict' in outcome)
      assert.deepEqual(conflictOf(rejected), { reason: 'different', expected: number + 1 })
    }
    assert.equal((await store.find('core'))?.lines, 10)
    assert.equal((await dumpDatabase(database)).split('\n').length - 1, 10)
  })

  it('answers both of two equal batches from different writers with one commit', async (t) => {
    const { writer, openWriter, store } = await openFeeds(t)
    const other = await openWriter()
    const batch = createBatch('core', 1, [customerLine])
    const outcomes = await Promise.all([commitOne(writer, batch), commitOne(other, batch)])
    assert.deepEqual(outcomes, [{ result: oneCreated }, { result: oneCreated }])
    assert.equal((await store.find('core'))?.lines, 1)
  })

  it('stores the position of a follower, and keeps followers and other senders apart', async (t) => {
    const { writer, store } = await openFeeds(t)
    await commitOne(writer, createBatch('file', 1, [customerLine], 'at 1'))
    await commitOne(writer, createBatch('file', 2, [], 'at 2'))
    await commitOne(writer, createBatch('core', 1, []))
    assert.equal((await store.find('file'))?.position, 'at 2')
    assert.equal('position' in ((await store.find('core')) ?? {}), false)

    const foreign: [ReturnType<typeof createBatch>, number][] = [
      [createBatch('file', 3, []), 3],
      [createBatch('core', 2, [], 'at 1'), 2],
    ]
    for (const [batch, expected] of foreign) {
      for (const outcome of [await writer.findOutcome(batch), await commitOne(writer, batch)])
        assert.deepEqual(conflictOf(outcome), { reason: 'follower', expected })
    }
  })

  it(`rejects more than ${feedsMax} feeds`, async (t) => {
    const { writer, store } = await openFeeds(t)
    const names = Array.from({ length: feedsMax }, (_, index) => `feed-${index}`)
    await writer.commit(names.map((name) => createBatch(name, 1, [])))
    const batch = createBatch('one-more', 1, [])
    assert.deepEqual(conflictOf(await writer.findOutcome(batch)), { reason: 'limit', expected: 1 })
    assert.deepEqual(conflictOf(await commitOne(writer, batch)), { reason: 'limit', expected: 1 })
    assert.ok('result' in (await commitOne(writer, createBatch('feed-0', 2, []))))

    assert.equal(await store.remove('feed-0'), true)
    assert.ok('result' in (await commitOne(writer, batch)))
    assert.equal((await store.list()).length, feedsMax)
  })

  it(`rejects more than ${clientFeedsMax} feeds of an API client, but not those of others`, async (t) => {
    const { writer, store } = await openFeeds(t)
    const send = (id: string, feed: string) => ({
      ...createBatch(feed, 1, []),
      sender: { id, name: id },
    })
    const names = Array.from({ length: clientFeedsMax + 1 }, (_, index) => `feed-${index}`)
    const conflict = { reason: 'client-limit', expected: 1 }

    const outcomes = await writer.commit([
      send('b', 'of-b'),
      ...names.map((name) => send('a', name)),
      send('b', 'also-of-b'),
    ])

    assert.deepEqual(
      outcomes.flatMap((outcome, index) => ('result' in outcome ? [] : [index])),
      [clientFeedsMax + 1],
    )
    assert.deepEqual(conflictOf(outcomes[clientFeedsMax + 1]), conflict)
    const batch = send('a', 'one-more')
    assert.deepEqual(conflictOf(await writer.findOutcome(batch)), conflict)
    assert.deepEqual(conflictOf(await commitOne(writer, batch)), conflict)
    assert.equal(await writer.findOutcome(send('b', 'one-more')), undefined)
    assert.ok('result' in (await commitOne(writer, createBatch('followed', 0, [], 'at 0'))))
    assert.ok('result' in (await commitOne(writer, { ...send('a', 'feed-0'), number: 2 })))
    assert.equal(await store.remove('feed-0'), true)
    assert.ok('result' in (await commitOne(writer, batch)))
  })

  it('forgets a removed feed, but not its data', async (t) => {
    const { writer, store, database } = await openFeeds(t)
    await commitOne(writer, createBatch('core', 1, [customerLine]))
    await commitOne(writer, createBatch('core', 2, []))
    assert.equal(await store.remove('core'), true)
    assert.equal(await store.remove('core'), false)
    assert.equal(await store.find('core'), undefined)
    assert.equal(await dumpDatabase(database), `${customerLine}\n`)
    const again = await commitOne(writer, createBatch('core', 1, [customerLine]))
    assert.deepEqual(again, { result: { ...oneCreated, created: 0, unchanged: 1 } })
  })

  it('lists feeds by name', async (t) => {
    const { writer, store } = await openFeeds(t)
    await writer.commit(['b', 'a', 'B', 'ä'].map((name) => createBatch(name, 1, [])))
    assert.deepEqual(
      (await store.list()).map(({ name }) => name),
      ['B', 'a', 'b', 'ä'],
    )
  })
})

describe('the lines of a feed', () => {
  it('accepts and rejects each of several batches for itself', async (t) => {
    const { writer, store, database } = await openFeeds(t)
    const second = put.account('a2', ['c1'])
    const outcomes = await writer.commit([
      createBatch('one', 1, [customerLine, accountLine, put.transaction('a1', 't1')]),
      createBatch('two', 1, [
        put.account('a2', ['c1'], { nickname: 'rejected' }),
        put.transaction('a1', 't1', { amount: '7.00' }),
        put.product('p1'),
        put.balance('missing'),
      ]),
      createBatch('three', 2, [put.customer('c3')]),
      createBatch('four', 1, [second, put.transaction('a2', 't2')]),
    ])
    assert.deepEqual(
      outcomes.map((outcome) => Object.keys(outcome)[0]),
      ['result', 'errors', 'conflict', 'result'],
    )
    assert.deepEqual(outcomes[1], {
      errors: [
        {
          file: 0,
          line: 4,
          path: 'accountId',
          reason: 'banking account not found',
          missing: { type: 'account', kind: 'banking', id: 'missing' },
        },
      ],
    })
    assert.deepEqual(
      (await store.list()).map(({ name }) => name),
      ['four', 'one'],
    )
    assert.equal(
      await dumpDatabase(database),
      [
        customerLine,
        accountLine,
        put.transaction('a1', 't1'),
        second,
        put.transaction('a2', 't2'),
        '',
      ].join('\n'),
    )
    const retried = await commitOne(writer, createBatch('two', 1, [put.balance('a2')]))
    assert.deepEqual(retried, { result: oneCreated })
  })

  it('requires what a line refers to at the end of its batch', async (t) => {
    const { add, reject, database } = await openFeeds(t)
    assert.deepEqual(
      await reject(
        put.transaction('a2', 't1'),
        put.account('a1', ['c1', 'c2', 'c3']),
        customerLine,
        put.payment('a2', 's1'),
        put.contact('a2'),
        put.energyAccount('e1', ['c1']),
        put.balance('e1'),
        put.contact('e1'),
        put.invoice('a1', 'i1'),
      ),
      [
        '1 accountId banking account not found',
        '2 holders[1].customerId customer not found',
        '2 holders[2].customerId customer not found',
        '4 from.accountId banking account not found',
        '5 accountId account not found',
        '7 accountId banking account not found',
        '9 accountId energy account not found',
      ],
    )
    assert.equal(await dumpDatabase(database), '')
    await add(put.transaction('a1', 't1'), accountLine, customerLine)
    assert.equal(
      await dumpDatabase(database),
      `${customerLine}\n${accountLine}\n${put.transaction('a1', 't1')}\n`,
    )
    assert.deepEqual(
      await reject(
        put.account('a2', ['c1']),
        removal('customer', { id: 'c1' }),
        removal('banking.account', { accountId: 'a1' }),
        put.balance('a1'),
      ),
      ['1 holders[0].customerId customer not found', '4 accountId banking account not found'],
    )
    assert.deepEqual(await reject(put.energyAccount('a1', ['c1'])), [
      '1 accountId is already the id of a banking account',
    ])
    await add(removal('customer', { id: 'c1' }))
    const errors = await reject(put.customer('c1', { name: 'Bo', email: 'bo@example.com' }))
    assert.equal(errors.length, 1)
    assert.match(errors[0] ?? '', /^1 id belonged to another person/)
  })

  it('does not depend on the batches of other feeds that are committed with it', async (t) => {
    const { writer, add } = await openFeeds(t)
    await add(customerLine)
    const outcomes = await writer.commit([
      createBatch('one', 1, [put.balance('a1')]),
      createBatch('two', 1, [accountLine]),
      createBatch('three', 1, [put.account('a2', ['c1'])]),
      createBatch('four', 1, [removal('customer', { id: 'c1' })]),
    ])
    assert.deepEqual(
      outcomes.map((outcome) => Object.keys(outcome)[0]),
      ['errors', 'result', 'result', 'result'],
    )
  })

  it('stores unresolved lines of a follower, and says which', async (t) => {
    const { openWriter, database } = await openFeeds(t)
    const writer = await openWriter({ storesUnresolved: true })
    const lines = [put.balance('a1'), put.customer('c2'), accountLine]
    const outcome = await commitOne(writer, createBatch('file', 1, lines, 'at 1'))
    assert.ok('result' in outcome)
    assert.deepEqual(
      outcome.unresolved?.map(({ line, path }) => `${line} ${path}`),
      ['3 holders[0].customerId'],
    )
    await commitOne(writer, createBatch('file', 2, [customerLine], 'at 2'))
    assert.deepEqual((await dumpDatabase(database)).split('\n').slice(0, -1), [
      customerLine,
      put.customer('c2'),
      accountLine,
      put.balance('a1'),
    ])
  })

  it('removes an account that is created again in the same batch, with its records', async (t) => {
    const { add, database } = await openFeeds(t)
    await add(customerLine, accountLine, put.balance('a1'), put.transaction('a1', 't1'))
    const account = put.account('a1', ['c1'], { nickname: 'new' })
    const transaction = put.transaction('a1', 't2')
    const result = await add(removal('banking.account', { accountId: 'a1' }), account, transaction)
    assert.deepEqual(result, { lines: 3, created: 2, changed: 0, unchanged: 0, deleted: 1 })
    assert.equal(await dumpDatabase(database), `${customerLine}\n${account}\n${transaction}\n`)
  })

  it('stores only the lines of a batch without a feed', async (t) => {
    const { writer, store, database } = await openFeeds(t)
    for (const outcome of [oneCreated, { ...oneCreated, created: 0, unchanged: 1 }]) {
      const batch = { ...createBatch('', 7, [customerLine]), feed: undefined }
      assert.deepEqual(await commitOne(writer, batch), { result: outcome })
    }
    assert.deepEqual(await store.list(), [])
    assert.equal(await dumpDatabase(database), `${customerLine}\n`)
  })

  it('sees what a load committed between two batches', async (t) => {
    const { add, reject, database } = await openFeeds(t)
    await add(customerLine, accountLine, put.transaction('a1', 't1'))
    await loadInProcess(database, [put.account('a2', ['c1']), put.transaction('a1', 't2')])
    assert.deepEqual(await add(put.transaction('a1', 't2'), put.balance('a2')), {
      lines: 2,
      created: 1,
      changed: 0,
      unchanged: 1,
      deleted: 0,
    })
    await loadInProcess(database, [removal('banking.account', { accountId: 'a2' })])
    assert.deepEqual(await reject(put.balance('a2')), ['1 accountId banking account not found'])
  })

  it('assigns the time of its commit to a transaction without a time', async (t) => {
    const { add, setClock, database } = await openFeeds(t)
    await add(customerLine, accountLine, undated('a1', 'first'))
    setClock('2025-09-01T00:00:00Z')
    await add(undated('a1', 'second'), undated('a1', 'first', { amount: '7.00' }))
    const times = [...(await dumpDatabase(database)).matchAll(/"effectiveTime":"([^"]*)"/g)]
    assert.deepEqual(
      times.map(([, time]) => time),
      ['2025-07-01T00:00:00Z', '2025-09-01T00:00:00Z'],
    )
  })

  it('keeps the order of a list with a late transaction', async (t) => {
    const { add, database } = await openFeeds(t)
    const days = Array.from({ length: 40 }, (_, day) =>
      put.transaction('a1', `t${day}`, {
        postingDateTime: new Date(Date.UTC(2025, 0, 1 + day)).toISOString(),
      }),
    )
    const late = days.splice(20, 1)
    await add(customerLine, accountLine, ...days)
    assert.deepEqual(await add(...late), oneCreated)
    days.splice(20, 0, ...late)
    const dumped = (await dumpDatabase(database)).trimEnd().split('\n').slice(2)
    assert.deepEqual(new Set(dumped), new Set(days))
    assert.ok([days, days.toReversed()].some((order) => order.join() === dumped.join()))
  })
})

describe('a batch with very many errors', () => {
  const ids = Array.from({ length: 140_000 }, (_, index) => `x${index}`)

  for (const [name, lines] of [
    ['unknown holders of an account', [put.account('a1', ids)]],
    ['lines of unknown accounts', ids.map((id) => put.balance(id))],
  ] as const) {
    it(`is rejected with the first ${batchErrorsFoundMax} of them: ${name}`, async (t) => {
      const { writer } = await openFeeds(t)
      const outcome = await commitOne(writer, createBatch('core', 1, lines))
      assert.equal('errors' in outcome && outcome.errors.length, batchErrorsFoundMax)
    })
  }
})
