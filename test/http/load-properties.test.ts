import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { describe } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import { type Change, formatLines, type List } from '../support/list-changes.ts'
import { listRecords } from '../support/list-records.ts'
import { loadInProcess } from '../support/load.ts'
import { applyLoad } from '../support/load-model.ts'
import { type Entry, emptyState } from '../support/load-state.ts'
import { ask, getRecords, type Ref } from '../support/operations.ts'
import { nanoseconds, newestFirst } from '../support/parse-line.ts'
import { propertyRuns } from '../support/properties.ts'
import { type Provider, sharedProvider, walk } from '../support/provider.ts'

/** Few times, some a nanosecond apart, so that entries tie and are reordered. */
const moments = [
  '2025-05-31T23:59:59.999999999Z',
  '2025-06-01T00:00:00Z',
  '2025-06-01T00:00:00.000000001Z',
  '2025-06-02T00:00:00Z',
  '2025-06-03T12:00:00Z',
  '2025-06-05T00:00:00Z',
]

const provider = sharedProvider([lines.customer('c0')])

const someList = fc.constantFrom<List>('transaction', 'payment', 'debit', 'invoice', 'billing')

/** A change, independent of a run. Without a list, it applies to the main list of the run. */
const drawnChange = fc.record({
  kind: fc.oneof(
    { arbitrary: fc.constant('put'), weight: 12 },
    { arbitrary: fc.constant('remove'), weight: 4 },
    { arbitrary: fc.constant('wipe'), weight: 1 },
  ),
  list: fc.option(someList, { freq: 2, nil: undefined }),
  account: fc.nat({ max: 1 }),
  id: fc.nat({ max: 6 }),
  moment: fc.nat({ max: moments.length }),
  timeField: fc.constantFrom('postingDateTime', 'executionDateTime', 'effectiveTime'),
  amount: fc.constantFrom('-1.50', '-0.00', '0', '2', '2.00', '10.05'),
  text: fc.constantFrom('Rent', 'rental', 'Bakery', ''),
})
type DrawnChange = typeof drawnChange extends fc.Arbitrary<infer Drawn> ? Drawn : never

const drawnView = fc.record({
  size: fc.integer({ min: 1, max: 9 }),
  oldest: fc.nat({ max: moments.length - 1 }),
  newest: fc.nat({ max: moments.length - 1 }),
  min: fc.option(fc.constantFrom('-1.5', '0', '2'), { nil: undefined }),
  text: fc.option(fc.constantFrom('RENT', 'bak'), { nil: undefined }),
  isReversed: fc.boolean(),
})
type View = typeof drawnView extends fc.Arbitrary<infer Drawn> ? Drawn : never

const drawnLoads = fc.array(
  fc.record({
    changes: fc.array(drawnChange, { minLength: 1, maxLength: 16 }),
    view: drawnView,
  }),
  { minLength: 1, maxLength: 4 },
)
const drawnMain = fc.constantFrom<List>(
  'transaction',
  'transaction',
  'invoice',
  'billing',
  'payment',
)

let runs = 0

/** The customer and accounts of one run. Runs share a database, so each has its own data. */
function openRun(main: List) {
  runs += 1
  const run = runs
  const customer = `run ${run}`
  const bank = [`bank ${run} 0`, `bank ${run} 1`]
  const energy = [`energy ${run} 0`, `energy ${run} 1`]
  const makeAccount = (account: string) =>
    bank.includes(account)
      ? lines.bankingAccount(account, { [customer]: true })
      : lines.energyAccount(account, [customer])

  const toChange = (drawn: DrawnChange): Change => {
    const { kind, list = main, moment, amount, text } = drawn
    const isEnergy = list === 'invoice' || list === 'billing'
    const which = drawn.list ? drawn.account : 0
    const account = (isEnergy ? energy : bank)[which] ?? ''
    // Ids that alternate between accounts, since ties across accounts are broken by id.
    const id = `${drawn.id}${isEnergy ? which : ''}`
    if (kind === 'wipe') return { kind: 'wipe', account }
    if (kind === 'remove') return { kind: 'remove', list, account, id }

    const time = moments[moment]
    const put = { list, account, id, time, timeField: drawn.timeField, amount, text }
    const needsTime = list !== 'transaction'
    return { kind: 'put', put: needsTime && !time ? { ...put, time: moments[0] } : put }
  }
  return { customer, bank, energy, makeAccount, toChange }
}

type Run = ReturnType<typeof openRun>

const types = {
  transaction: 'banking.transaction',
  payment: 'banking.scheduledPayment',
  debit: 'banking.directDebit',
  invoice: 'energy.invoice',
  billing: 'energy.billing',
} as const satisfies Record<List, string>

/** The database and the model, with the same loads. */
function openLoads(database: string) {
  let state = emptyState()
  return {
    async load(written: readonly object[], loadTime: string): Promise<void> {
      await loadInProcess(database, written, loadTime)
      const texts = written.map((line) => JSON.stringify(line))
      const loaded = applyLoad(state, texts, Temporal.Instant.from(loadTime))
      assert.deepEqual(loaded.errors, [])
      state = loaded.state
    },
    sorted: (list: List, accounts: readonly string[]): Entry[] =>
      accounts.flatMap((account) => listRecords(state, account, types[list])).sort(newestFirst),
  }
}
type Model = ReturnType<typeof openLoads>

/** All records that an operation returns, page by page. */
async function readAll(
  here: Provider,
  ref: Ref,
  question: { customer: string; accounts: readonly string[] },
  query: Readonly<Record<string, string>>,
): Promise<unknown[]> {
  const pages = await walk(
    (next) => ask(here, ref, { ...question, query: next }),
    new URLSearchParams(query).toString(),
  )
  const records = pages.flatMap((page) => getRecords(ref, page))
  for (const { body } of pages) assert.equal(body.meta.totalRecords, records.length)
  return records
}

function toRecords(entries: readonly Entry[]): unknown[] {
  return entries.map(({ record }) => JSON.parse(JSON.stringify(record)))
}

/** The whole list in pages of the drawn size, and a window of it in one page. */
function listSpans({ size, oldest, newest }: View) {
  return [
    { size: `${size}`, oldest: '2000-01-01T00:00:00Z', newest: '2100-01-01T00:00:00Z' },
    { size: '1000', oldest: moments[oldest] ?? '', newest: moments[newest] ?? '' },
  ].map((span) => {
    const days = { oldest: span.oldest.slice(0, 10), newest: span.newest.slice(0, 10) }
    const size = { 'page-size': span.size }
    const isWithin = ({ time }: Entry, from: string, to: string) =>
      time >= nanoseconds(from) && time <= nanoseconds(to)
    return {
      times: { ...size, 'oldest-time': span.oldest, 'newest-time': span.newest },
      dates: { ...size, 'oldest-date': days.oldest, 'newest-date': days.newest },
      within: (entry: Entry) => isWithin(entry, span.oldest, span.newest),
      withinDays: (entry: Entry) =>
        isWithin(entry, `${days.oldest}T00:00:00Z`, `${days.newest}T00:00:00Z`),
    }
  })
}

/** Compares the transactions of an account with the model, without and with the filters of the view. */
async function compareTransactions(
  here: Provider,
  model: Model,
  { customer }: Run,
  account: string,
  view: View,
): Promise<void> {
  const question = { customer, accounts: [account] }
  const { min, text } = view
  const filters = { ...(min && { 'min-amount': min }), ...(text && { text }) }
  for (const { times, within } of listSpans(view)) {
    const expected = model.sorted('transaction', [account]).filter(within)
    assert.deepEqual(await readAll(here, 'B3', question, times), toRecords(expected))

    const chosen = expected.filter(({ record }) => {
      const { amount, description } = record as { amount: string; description: string }
      return (
        (min === undefined || Number(amount) >= Number(min)) &&
        (text === undefined || description.toLowerCase().includes(text.toLowerCase()))
      )
    })
    const query = { ...times, ...filters }
    assert.deepEqual(await readAll(here, 'B3', question, query), toRecords(chosen))
  }
}

/** Compares every list of a run with the model. */
async function compare(here: Provider, model: Model, run: Run, view: View): Promise<void> {
  const { customer } = run
  const bank = view.isReversed ? run.bank.toReversed() : run.bank
  const energy = view.isReversed ? run.energy.toReversed() : run.energy

  for (const account of bank) await compareTransactions(here, model, run, account, view)
  for (const { times, dates, within, withinDays } of listSpans(view)) {
    assert.deepEqual(
      await readAll(here, 'E3', { customer, accounts: energy }, dates),
      toRecords(model.sorted('invoice', energy).filter(withinDays)),
    )
    assert.deepEqual(
      await readAll(here, 'E5', { customer, accounts: energy }, times),
      toRecords(model.sorted('billing', energy).filter(within)),
    )
  }

  const size = { 'page-size': `${view.size}` }
  const [account = ''] = bank
  assert.deepEqual(
    await readAll(here, 'B4', { customer, accounts: [account] }, size),
    toRecords(model.sorted('payment', [account])),
  )
  for (const [ref, list] of [
    ['B5', 'debit'],
    ['B6', 'payment'],
  ] as const) {
    assert.deepEqual(
      await readAll(here, ref, { customer, accounts: bank }, size),
      toRecords(bank.flatMap((each) => model.sorted(list, [each]))),
    )
  }
}

describe('after any sequence of loads', () => {
  it('every list has the order, totals and pages of the model', async () => {
    const here = await provider()

    await fc.assert(
      fc.asyncProperty(drawnLoads, drawnMain, async (loads, main) => {
        const run = openRun(main)
        const model = openLoads(here.database)
        const customers = [lines.customer(run.customer)]
        const accounts = [...run.bank, ...run.energy].map(run.makeAccount)

        for (const [index, { changes, view }] of loads.entries()) {
          const loadTime = `2025-06-0${1 + index}T06:00:00Z`
          const written = changes.flatMap((drawn) => {
            const change = run.toChange(drawn)
            // An account that does not exist yet cannot be deleted.
            if (index === 0 && change.kind === 'wipe') return []
            return formatLines(change, run.makeAccount)
          })
          // Lines may have any order: here, accounts follow their entries, and customers are last.
          const rest = index === 0 ? [...accounts, ...customers] : []
          await model.load([...written, ...rest], loadTime)
          await compare(here, model, run, view)
        }

        const repeated = loads.at(-1)?.view
        await model.load([...accounts, ...customers], '2030-01-01T00:00:00Z')
        if (repeated) await compare(here, model, run, repeated)
      }),
      propertyRuns(4),
    )
  })

  it('a repeated load changes nothing', async () => {
    const here = await provider()

    await fc.assert(
      fc.asyncProperty(drawnLoads, drawnMain, async ([first], main) => {
        if (!first) return
        const run = openRun(main)
        const model = openLoads(here.database)
        // One line for each entry: a second line could get its time from the load.
        const changes = new Map(
          first.changes
            .map((drawn) => run.toChange(drawn))
            .flatMap((change) => (change.kind === 'put' ? [change] : []))
            .map((change) => [`${change.put.list} ${change.put.account} ${change.put.id}`, change]),
        )
        const written = [...changes.values()].flatMap((change) =>
          formatLines(change, run.makeAccount),
        )
        const accounts = [...run.bank, ...run.energy].map(run.makeAccount)
        const file = [lines.customer(run.customer), ...accounts, ...written]

        await model.load(file, '2025-06-01T06:00:00Z')
        await loadInProcess(here.database, file, '2025-06-04T06:00:00Z')

        await compare(here, model, run, first.view)
      }),
      propertyRuns(2),
    )
  })

  it('the last line of an entry applies, wherever earlier lines had moved it', async () => {
    const here = await provider()
    const times = [undefined, ...moments.slice(0, 4)]
    const view = {
      size: 2,
      oldest: 1,
      newest: 3,
      isReversed: false,
      min: undefined,
      text: undefined,
    }

    const cases = times.flatMap((first) =>
      times.map((second) => {
        const run = openRun('transaction')
        const at = (id: string, time: string | undefined): Change => {
          const [account = ''] = run.bank
          const put = { account, id, time, amount: '2', text: id } as const
          return { kind: 'put', put: { ...put, list: 'transaction', timeField: 'postingDateTime' } }
        }
        const changes = [
          [at('a', moments[1]), at('b', moments[2])],
          [at('c', first), at('c', second), at('d', moments[2])],
        ] as const
        return { run, changes }
      }),
    )

    const model = openLoads(here.database)
    for (const index of [0, 1] as const) {
      const written = cases.flatMap(({ run, changes }) => {
        const accounts = [...run.bank, ...run.energy].map(run.makeAccount)
        const entries = changes[index].flatMap((change) => formatLines(change, run.makeAccount))
        return [lines.customer(run.customer), ...accounts, ...entries]
      })
      await model.load(written, `2025-06-0${1 + index}T06:00:00Z`)
    }

    for (const { run } of cases) {
      for (const account of run.bank) await compareTransactions(here, model, run, account, view)
    }
  })
})
