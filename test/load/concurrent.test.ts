import assert from 'node:assert/strict'
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
import { listRecords } from '../support/list-records.ts'
import { dumpDatabase } from '../support/load.ts'
import { applyLoad } from '../support/load-model.ts'
import { emptyState } from '../support/load-state.ts'
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

/** The content after these commits, in sequence. With a batch of one line, each commit has one line. */
function expectContent(loads: readonly Load[], commits: readonly number[]): string[] {
  let state = applyLoad(emptyState(), opening, now).state
  const done = loads.map(() => 0)
  for (const index of commits) {
    const { steps, batch } = loads[index] as Load
    const first = done[index] ?? 0
    const lines = (batch ? steps.slice(first, first + 1) : steps).map(formatStep)
    state = applyLoad(state, lines, now, { storesUnresolved: batch !== undefined }).state
    done[index] = first + 1
  }
  return [...state.accounts.keys()].sort().flatMap((id) => [
    `${id} ${state.accounts.get(id)?.record['nickname']}`,
    ...listRecords(state, id, 'banking.transaction')
      .map(({ record }) => `${record?.['transactionId']} ${record?.['reference']}`)
      .reverse(),
  ])
}

/** Each account followed by its transactions, without lines that are invisible. */
async function readContent(database: string): Promise<string[]> {
  return splitLines(await dumpDatabase(database)).flatMap((text) => {
    const { type, record, unresolved } = JSON.parse(text)
    if (unresolved || type === 'customer') return []
    const { accountId, nickname, transactionId, reference } = record
    return [
      type === 'banking.account' ? `${accountId} ${nickname}` : `${transactionId} ${reference}`,
    ]
  })
}

const opening = [
  put.customer('c1'),
  ...accounts.map((account) => formatStep({ action: 'open', account, id: '', mark: 'first' })),
]

async function resetDatabase(database: string): Promise<void> {
  if (currentEngine() === 'postgres') {
    const tables = 'customer, further_email, account, holder, balance, contact, entry'
    await runSql(`truncate ${tables}`, database)
  }
  const writer = await openProviderWriter(database, { loadTime: now })
  const text = opening.join('\n')
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
    it(`have the same result as ${count} sequential loads`, async (t) => {
      const shared = currentEngine() === 'postgres' ? await newDatabase(t) : undefined
      const loads = fc.array(oneLoad, { minLength: count, maxLength: count })

      await fc.assert(
        fc.asyncProperty(loads, async (loads) => {
          const database = shared ?? (await newDatabase(t))
          await resetDatabase(database)

          const commits = await runConcurrently(database, loads)

          assert.deepEqual(await readContent(database), expectContent(loads, commits))
        }),
        propertyRuns(runs[currentEngine()]),
      )
    })
  }
})

describe('an account that is deleted while another load writes to it', () => {
  it('is deleted with its history, and later lines wait for it', async (t) => {
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
    const dump = splitLines(await bank.dump())
    await bank.fill([put.account('a1', ['c1'])])

    assert.match(
      stderr,
      /^4 lines refer to accounts or customers that do not exist \(first at -:5\)/m,
    )
    assert.equal(status, 0)
    assert.deepEqual(
      dump.filter((each) => !each.includes('"unresolved":true')),
      [baseLines[0], put.customer('c2')],
    )
    const ids = [...(await bank.dump()).matchAll(/"transactionId":"(t\d)"/g)].map(([, id]) => id)
    assert.deepEqual(ids.sort(), ['t5', 't6', 't7', 't8'])
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

    assert.deepEqual(await readContent(database), ['a2 first'])
  })
})
