import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { createNdjsonSource } from '../../src/intake/lines.ts'
import { load } from '../../src/intake/load.ts'
import { openProviderStore, openProviderWriter } from '../../src/storage/open.ts'
import {
  createScope,
  currentEngine,
  describe,
  describeOnLayouts,
  listSessions,
  newDatabase,
  runSql,
} from '../support/engines.ts'
import { dumpDatabase } from '../support/load.ts'
import { finish } from '../support/process.ts'
import { propertyRuns } from '../support/properties.ts'
import { until } from '../support/until.ts'
import { openBank, splitLines } from './bank.ts'
import { line, put, removal } from './lines.ts'

const now = Temporal.Instant.from('2026-01-01T00:00:00Z')
const accounts = ['a1', 'a2'] as const

/** A line about one of two accounts. All loads of a test write to both. */
interface Step {
  readonly action: 'open' | 'close' | 'post'
  readonly account: string
  readonly id: string
  readonly mark: string
}

function formatStep({ action, account, id, mark }: Step): string {
  if (action === 'close') return removal('banking.account', { accountId: account })
  if (action === 'post') return put.transaction(account, id, { reference: mark })
  const record = { accountId: account, nickname: mark }
  return line('banking.account', record, { holders: [{ customerId: 'c1' }] })
}

interface Account {
  readonly mark: string
  readonly entries: Map<string, string>
}

/** The expected content of the database. A load in batches defers lines with unresolved references. */
class Model {
  readonly accounts = new Map<string, Account>()

  apply(steps: readonly Step[]): void {
    const unresolved = new Map<string, Map<string, string>>()
    for (const step of steps) {
      const { action, account, id, mark } = step
      const known = this.accounts.get(account)
      if (action === 'close') {
        this.accounts.delete(account)
        unresolved.delete(account)
      } else if (action === 'open') {
        this.#open(step, unresolved.get(account))
      } else if (known) {
        known.entries.set(id, mark)
      } else {
        unresolved.set(account, (unresolved.get(account) ?? new Map()).set(id, mark))
      }
    }
  }

  /** Applies a batch of one line. Returns the lines that the load defers after it. */
  applyOne(step: Step, deferred: readonly Step[]): readonly Step[] {
    const { action, account } = step
    if (action === 'close') {
      this.accounts.delete(account)
      return deferred.filter((each) => each.account !== account)
    }
    const isUnresolved = action === 'post' && !this.accounts.has(account)
    if (isUnresolved || deferred.some((each) => each.account === account))
      return [...deferred, step]
    this.apply([step])
    return deferred
  }

  applyDeferred(deferred: readonly Step[]): void {
    this.apply(deferred.filter(({ action }) => action === 'open'))
    this.apply(
      deferred.filter(({ action, account }) => action === 'post' && this.accounts.has(account)),
    )
  }

  #open({ account, mark }: Step, unresolved = new Map<string, string>()): void {
    const entries = this.accounts.get(account)?.entries ?? unresolved
    this.accounts.set(account, { mark, entries })
  }
}

interface Load {
  readonly steps: readonly Step[]
  readonly batch: 1 | undefined
  readonly isSlow: boolean
}

/** Runs loads concurrently; returns the indexes of the loads in the order of their commits. */
async function runConcurrently(database: string, loads: readonly Load[]): Promise<number[]> {
  const commits: number[] = []
  await Promise.all(
    loads.map(async ({ steps, batch, isSlow }, index) => {
      const inBatches = batch !== undefined
      const writer = await openProviderWriter(database, { loadTime: now, inBatches, isSlow })
      const recordingWriter = {
        ...writer,
        async commit() {
          const counts = await writer.commit()
          commits.push(index)
          return counts
        },
      }
      const lines = async function* () {
        for (const step of steps) {
          yield Buffer.from(`${formatStep(step)}\n`)
          await setImmediate()
        }
      }
      try {
        const file = createNdjsonSource({ name: 'data', open: () => Readable.from(lines()) })
        await load([file], recordingWriter, { ...(batch && { batch }), onError: () => {} })
      } finally {
        await writer.close()
      }
    }),
  )
  return commits
}

/** The state after these commits, in sequence. */
function expectedModel(loads: readonly Load[], commits: readonly number[]): Model {
  const model = new Model()
  model.apply(opening)
  const progress = loads.map(() => ({ done: 0, deferred: [] as readonly Step[] }))
  for (const index of commits) {
    const { steps, batch } = loads[index] as Load
    const state = progress[index] as (typeof progress)[number]
    const step = steps[state.done]
    if (batch === undefined) model.apply(steps)
    else if (step) state.deferred = model.applyOne(step, state.deferred)
    else model.applyDeferred(state.deferred)
    state.done += 1
  }
  return model
}

const opening: readonly Step[] = accounts.map((account) => ({
  ...{ action: 'open', account, id: '', mark: 'first' },
}))

async function readContent(database: string): Promise<Map<string, Account>> {
  const found = new Map<string, Account>()
  for (const text of splitLines(await dumpDatabase(database))) {
    const { type, record } = JSON.parse(text)
    if (type === 'banking.account') {
      found.set(record.accountId, { mark: record.nickname, entries: new Map() })
    } else if (type === 'banking.transaction') {
      found.get(record.accountId)?.entries.set(record.transactionId, record.reference)
    }
  }
  return found
}

/** Counts rows without an account, which a dump does not show. */
async function countOrphans(database: string): Promise<number> {
  const tables = ['balance', 'contact', 'holder'].map((table) => `select account from ${table}`)
  const count = (entries: string, condition: string) =>
    `select count(*) as count from (${[entries, ...tables].join(' union all ')}) o
     where not exists (select 1 from account a where a.number = o.account ${condition})`
  if (currentEngine() === 'postgres') {
    return Number((await runSql(count('select account from entry', ''), database))[0]?.[0])
  }
  const file = new DatabaseSync(database.slice('sqlite:'.length))
  try {
    const sql = count('select list >> 3 as account from entry', 'and a.head is not null')
    return Number(file.prepare(sql).get()?.['count'])
  } finally {
    file.close()
  }
}

async function resetDatabase(database: string): Promise<void> {
  if (currentEngine() === 'postgres') {
    const tables = 'customer, account, holder, balance, contact, entry'
    await runSql(`truncate ${tables}`, database)
  }
  const writer = await openProviderWriter(database, { loadTime: now })
  const text = [put.customer('c1'), ...opening.map(formatStep)].join('\n')
  const open = () => Readable.from([Buffer.from(text)])
  const file = createNdjsonSource({ name: 'data', open })
  await load([file], writer, { onError: () => assert.fail() })
  await writer.close()
}

const step = fc.record({
  action: fc.constantFrom(
    'post' as const,
    'post' as const,
    'post' as const,
    'close' as const,
    'open' as const,
  ),
  account: fc.constantFrom(...accounts),
  id: fc.constantFrom('t1', 't2', 't3'),
  mark: fc.constantFrom('x', 'y', 'z'),
})
const oneLoad = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
  batch: fc.constantFrom(1 as const, undefined),
  isSlow: fc.boolean(),
})

describe('concurrent loads of the same accounts', () => {
  for (const [count, runs] of [
    [2, { sqlite: 12, postgres: 3 }],
    [5, { sqlite: 5, postgres: 2 }],
  ] as const) {
    it(`have the same result as ${count} sequential loads, and leave no orphans`, async (t) => {
      const shared = currentEngine() === 'postgres' ? await newDatabase(t) : undefined
      const loads = fc.array(oneLoad, { minLength: count, maxLength: count })

      await fc.assert(
        fc.asyncProperty(loads, async (loads) => {
          const database = shared ?? (await newDatabase(t))
          await resetDatabase(database)

          const commits = await runConcurrently(database, loads)

          assert.deepEqual(await readContent(database), expectedModel(loads, commits).accounts)
          assert.equal(await countOrphans(database), 0)
        }),
        propertyRuns(runs[currentEngine()]),
      )
    })
  }
})

describe('an account that is deleted while another load writes to it', () => {
  it('is deleted with its history', async (t) => {
    const bank = await openBank(t)
    const baseLines = [put.customer('c1'), put.account('a1', ['c1'])]
    const history = (first: number) =>
      Array.from({ length: 4 }, (_, index) => `${put.transaction('a1', `t${first + index}`)}\n`)
    await bank.fill(baseLines)
    const writing = bank.start(['load', '-', '--batch', '4'])
    const result = finish(writing)
    writing.stdin.write([`${put.customer('c2')}\n`, ...history(1).slice(0, 3)].join(''))
    const store = await openProviderStore(bank.database())
    t.after(() => store.close())
    await until(async () => (await store.overview()).customers >= 2)

    await bank.fill([removal('banking.account', { accountId: 'a1' })])
    writing.stdin.end(history(5).join(''))
    const { status, stderr } = await result
    const orphans = await countOrphans(bank.database())
    await bank.fill([put.account('a1', ['c1'])])

    assert.match(stderr, /accountId: banking account not found \((first )?at -:5\)$/m)
    assert.equal(status, 1)
    assert.equal(orphans, 0)
    assert.deepEqual(splitLines(await bank.dump()), [
      baseLines[0],
      put.customer('c2'),
      baseLines[1],
    ])
  })
})

describeOnLayouts('an account that is deleted by a load that waits for another one', () => {
  it('is deleted with its history, whatever the default isolation level', async (t) => {
    const scope = createScope(t)
    const database = await newDatabase(scope)
    await resetDatabase(database)
    const alterDatabase = async (change: string) => {
      const name = new URL(database).pathname.slice(1)
      await runSql(`alter database ${name} ${change}`, database)
    }
    await alterDatabase(`set default_transaction_isolation = 'repeatable read'`)
    scope.after(() => alterDatabase('reset default_transaction_isolation'))
    const write = async (text: string, beforeCommit = async () => {}) => {
      const writer = await openProviderWriter(database, { loadTime: now })
      const commit = async () => {
        await beforeCommit()
        return writer.commit()
      }
      const open = () => Readable.from([Buffer.from(text)])
      const file = createNdjsonSource({ name: 'data', open })
      await load([file], { ...writer, commit }, { onError: () => assert.fail() })
      await writer.close()
    }
    const isWaiting = async () =>
      (await listSessions(database, `wait_event = 'advisory'`)).length > 0
    let deletion: Promise<void> | undefined

    await write(put.transaction('a1', 't1'), async () => {
      deletion = write(removal('banking.account', { accountId: 'a1' }))
      await until(isWaiting)
    })
    await deletion

    assert.deepEqual([...(await readContent(database)).keys()], ['a2'])
    assert.equal(await countOrphans(database), 0)
  })
})
