import assert from 'node:assert/strict'
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { describe, describeOn } from '../support/engines.ts'
import { finish, start } from '../support/process.ts'
import { openProvider } from '../support/provider.ts'
import { type Bank, openBank, splitLines } from './bank.ts'
import { line, put } from './lines.ts'

const accounts = ['a1', 'a2', 'a3']
const transactions = 1500
/** Between requests, so that they leave time for the load. */
const pauseMs = 10

/** The lines of one state: every record contains the mark, and the second state has twice the transactions. */
function* state(mark: 'before' | 'after'): Generator<string> {
  yield put.customer('c1', { phoneNumber: mark })
  for (const id of accounts) {
    yield put.account(id, ['c1'], { nickname: mark })
    yield put.balance(id, { currency: mark })
    yield put.debit(id, 'd1', { authorisedEntity: { description: mark } })
    yield put.payment(id, `s-${id}`, { nickname: mark })
  }
  const factor = mark === 'before' ? 1 : 2
  for (let index = 0; index < transactions * factor; index += 1) {
    const minutes = (index * 7919) % (transactions * 2)
    const time = new Date(Date.UTC(2025, 0, 1, 0, minutes)).toISOString()
    yield line('banking.transaction', {
      accountId: accounts[index % 3],
      transactionId: `t${index}`,
      status: 'POSTED',
      amount: '1.00',
      postingDateTime: time,
      reference: mark,
    })
  }
}

/** Starts a server in this process; loads run in others. */
async function serve(bank: Bank): Promise<string> {
  const options = { database: bank.database(), now: '2025-12-31T00:00:00Z' }
  return (await openProvider(bank.scope, [], options)).address
}

const accountIdsBody = { body: JSON.stringify({ data: { accountIds: accounts } }), method: 'POST' }
const headers = { 'content-type': 'application/json' }

/** The requests, and the number of marks in their responses before and after the load. */
const requests = [
  { path: '/auth/v1/customer/c1', marks: [1, 1] },
  { path: '/v1/banking/customer/c1/accounts', marks: [3, 3] },
  { path: '/v1/banking/customer/c1/accounts/balances', marks: [3, 3], ...accountIdsBody },
  { path: '/v1/banking/customer/c1/accounts/direct-debits', marks: [3, 3], ...accountIdsBody },
  { path: '/v1/banking/customer/c1/accounts/a1/transactions?page-size=250', marks: [250, 250] },
  {
    path: '/v1/banking/customer/c1/accounts/a2/transactions?page-size=250&page=2',
    marks: [250, 250],
  },
  {
    path: '/v1/banking/customer/c1/accounts/a3/transactions?page-size=100&min-amount=1&text=e',
    marks: [100, 100],
  },
] as const

describe('a server, while a load runs in another process', () => {
  it('answers every request from the state before or after the load', async (t) => {
    const bank = await openBank(t)
    await bank.fill([...state('before')])
    const [first = '', ...others] = state('after')
    const address = await serve(bank)
    const observed: Set<'before' | 'after'>[] = []

    const send = async ({ path, marks, ...init }: (typeof requests)[number]) => {
      const answer = await fetch(`${address}${path}`, { headers, ...init })
      const body = await answer.text()

      assert.equal(answer.status, 200, body)
      const found = new Set(body.match(/"(before|after)"/g))
      assert.equal(found.size, 1, `${path} mixes two states: ${[...found]}`)
      const state = found.has('"after"') ? 'after' : 'before'
      const isAfter = state === 'after'
      assert.equal(body.match(/"(before|after)"/g)?.length, marks[isAfter ? 1 : 0], path)
      if (path.includes('/transactions')) {
        const total = (transactions * (isAfter ? 2 : 1)) / 3
        assert.equal(JSON.parse(body).meta.totalRecords, total)
      }
      return state
    }
    // Concurrent requests may see either state; later requests must not see an earlier state.
    const sendAll = async () => {
      observed.push(new Set(await Promise.all(requests.map(send))))
    }

    await sendAll()
    const load = bank.start(['load', '-'])
    const result = finish(load)
    load.stdin.write(`${first}\n`)
    for (let round = 0; round < 5; round += 1) await sendAll()
    load.stdin.end(`${others.join('\n')}\n`)
    const exited = once(load, 'exit')
    let isRunning = true
    exited.then(() => {
      isRunning = false
    })
    for (; isRunning; await setTimeout(pauseMs)) await sendAll()
    const { status, stderr } = await result
    await sendAll()

    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    const changedAt = observed.findIndex((round) => round.has('after'))
    assert.ok(changedAt > 5)
    for (const round of observed.slice(changedAt + 1)) {
      assert.deepEqual([...round], ['after'], 'a later round returned to the earlier state')
    }
    assert.deepEqual([...(observed.at(-1) ?? [])], ['after'])
  })

  it('sees only complete batches', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1')])
    const address = await serve(bank)
    const size = 50
    const load = bank.start(['load', '-', '--batch', String(size)])
    const result = finish(load)
    const total = async () => {
      const answer = await fetch(`${address}/v1/banking/customer/c1/accounts?page-size=1`)
      return ((await answer.json()) as { meta: { totalRecords: number } }).meta.totalRecords
    }
    const observed = new Set<number>()

    for (let batch = 0; batch < 5; batch += 1) {
      for (let index = 0; index < size; index += 1) {
        const accountId = `a${batch * size + index}`
        const text = line('banking.account', { accountId }, { holders: [{ customerId: 'c1' }] })
        load.stdin?.write(`${text}\n`)
      }
      for (let now = 0; now < (batch + 1) * size; await setTimeout(pauseMs)) {
        now = await total()
        observed.add(now)
      }
    }
    load.stdin?.end()

    assert.equal((await result).status, 0)
    assert.deepEqual(
      [...observed].filter((count) => count % size !== 0),
      [],
    )
    assert.ok([50, 100, 150, 200, 250].every((count) => observed.has(count)))
  })
})

describe('concurrent loads', () => {
  it('all succeed, one after another', async (t) => {
    const bank = await openBank(t)
    const part = (name: string) =>
      Array.from({ length: 500 }, (_, index) =>
        line('customer', { id: `${name}${index}`, name, email: `${name}@example.com` }),
      )
    const names = ['a', 'b', 'c']
    for (const name of names) bank.write(`${name}.ndjson`, part(name))

    const runs = await Promise.all(names.map((name) => bank.run(['load', `${name}.ndjson`])))

    for (const { status, stderr } of runs) {
      assert.match(stderr, /^(waiting for another load to finish\n)?$/)
      assert.equal(status, 0)
    }
    assert.deepEqual(splitLines(await bank.dump()), names.flatMap(part).sort())
  })
})

describeOn('sqlite', 'concurrent loads into a new file', () => {
  it('succeed while one of them creates the database', async (t) => {
    const bank = await openBank(t)
    const first = new DatabaseSync(bank.path('bank.db'))
    first.exec('begin immediate')
    const storage = new URL('../../src/storage/open.ts', import.meta.url)
    const script = `import { createDatabase, openProviderWriter } from ${JSON.stringify(storage)}
      console.log('opening')
      const options = { loadTime: Temporal.Now.instant() }
      await createDatabase(${JSON.stringify(bank.database())}, {})
      await (await openProviderWriter(${JSON.stringify(bank.database())}, options)).close()
      console.log('opened')`

    const second = start(bank.scope, [process.execPath, '--input-type=module', '--eval', script])
    const result = finish(second)
    await once(second.stdout, 'data')
    // Long enough for it to find the file locked; a shorter wait would only make the test easier.
    await setTimeout(200)
    first.exec('rollback')
    first.close()

    const { stdout, stderr } = await result
    assert.equal(stdout, 'opening\nopened\n', stderr)
  })
})
