import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { describe } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import {
  type Change,
  type Entry,
  type List,
  type Model,
  nanoseconds,
  openModel,
} from '../support/list-model.ts'
import { loadInProcess } from '../support/load.ts'
import { ask, getRecords, type Ref } from '../support/operations.ts'
import { propertyRuns } from '../support/properties.ts'
import { type Provider, sharedProvider, walk } from '../support/provider.ts'

/** Few moments, some a nanosecond apart, so that entries meet, tie and change places. */
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

/** A place in a list, not yet of any run. Without a list it is of the one that the run is most about. */
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

const drawnLook = fc.record({
  size: fc.integer({ min: 1, max: 9 }),
  oldest: fc.nat({ max: moments.length - 1 }),
  newest: fc.nat({ max: moments.length - 1 }),
  min: fc.option(fc.constantFrom('-1.5', '0', '2'), { nil: undefined }),
  text: fc.option(fc.constantFrom('RENT', 'bak'), { nil: undefined }),
  turned: fc.boolean(),
})
type Look = typeof drawnLook extends fc.Arbitrary<infer Drawn> ? Drawn : never

const drawnLoads = fc.array(
  fc.record({
    changes: fc.array(drawnChange, { minLength: 1, maxLength: 16 }),
    look: drawnLook,
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

/** The customer and accounts of one run: the runs share a database, and must not share data. */
function cast(main: List) {
  runs += 1
  const run = runs
  const customer = `run ${run}`
  const bank = [`bank ${run} 0`, `bank ${run} 1`]
  const energy = [`energy ${run} 0`, `energy ${run} 1`]
  const makeAccount = (account: string) =>
    bank.includes(account)
      ? lines.bankingAccount(account, { [customer]: true })
      : lines.energyAccount(account, [customer])

  const changeOf = (drawn: DrawnChange): Change => {
    const { kind, list = main, moment, amount, text } = drawn
    const isEnergy = list === 'invoice' || list === 'billing'
    const which = drawn.list ? drawn.account : 0
    const account = (isEnergy ? energy : bank)[which] ?? ''
    // Ids that alternate between accounts, where a tie is broken by id over several of them.
    const id = list === 'payment' ? `${run}/${drawn.id}` : `${drawn.id}${isEnergy ? which : ''}`
    if (kind === 'wipe') return { kind: 'wipe', account }
    if (kind === 'remove') return { kind: 'remove', list, account, id }

    const time = moments[moment]
    const put = { list, account, id, time, timeField: drawn.timeField, amount, text }
    const needsTime = list !== 'transaction'
    return { kind: 'put', put: needsTime && !time ? { ...put, time: moments[0] } : put }
  }
  return { customer, bank, energy, makeAccount, changeOf }
}

type Cast = ReturnType<typeof cast>

/** All that an operation shows, page after page. */
async function shown(
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

function recordsIn(entries: readonly Entry[]): unknown[] {
  return entries.map(({ record }) => JSON.parse(JSON.stringify(record)))
}

/** Holds every list of a run against the model, whole and through a window. */
async function compare(here: Provider, model: Model, run: Cast, look: Look): Promise<void> {
  const { customer } = run
  const drawnSize = { 'page-size': `${look.size}` }
  const bank = look.turned ? run.bank.toReversed() : run.bank
  const energy = look.turned ? run.energy.toReversed() : run.energy
  const [oldest = '', newest = ''] = [moments[look.oldest], moments[look.newest]]
  const always = { oldest: '2000-01-01T00:00:00Z', newest: '2100-01-01T00:00:00Z' }

  for (const { size, ...span } of [
    { size: drawnSize, ...always },
    { size: { 'page-size': '1000' }, oldest, newest },
  ]) {
    const times = { 'oldest-time': span.oldest, 'newest-time': span.newest }
    const dates = {
      'oldest-date': span.oldest.slice(0, 10),
      'newest-date': span.newest.slice(0, 10),
    }
    const from = nanoseconds(span.oldest)
    const to = nanoseconds(span.newest)
    const within = ({ time }: Entry) => time >= from && time <= to
    const day = (bound: string) => nanoseconds(`${bound.slice(0, 10)}T00:00:00Z`)
    const withinDays = ({ time }: Entry) => time >= day(span.oldest) && time <= day(span.newest)

    for (const account of bank) {
      const expected = model.sorted('transaction', [account]).filter(within)
      const question = { customer, accounts: [account] }
      assert.deepEqual(
        await shown(here, 'B3', question, { ...size, ...times }),
        recordsIn(expected),
      )

      const { min, text } = look
      const chosen = expected.filter(({ record }) => {
        const { amount, description } = record as { amount: string; description: string }
        return (
          (min === undefined || Number(amount) >= Number(min)) &&
          (text === undefined || description.toLowerCase().includes(text.toLowerCase()))
        )
      })
      const filters = { ...(min && { 'min-amount': min }), ...(text && { text }) }
      const query = { ...size, ...times, ...filters }
      assert.deepEqual(await shown(here, 'B3', question, query), recordsIn(chosen))
    }
    assert.deepEqual(
      await shown(here, 'E3', { customer, accounts: energy }, { ...size, ...dates }),
      recordsIn(model.sorted('invoice', energy).filter(withinDays)),
    )
    assert.deepEqual(
      await shown(here, 'E5', { customer, accounts: energy }, { ...size, ...times }),
      recordsIn(model.sorted('billing', energy).filter(within)),
    )
  }

  const [account = ''] = bank
  assert.deepEqual(
    await shown(here, 'B4', { customer, accounts: [account] }, drawnSize),
    recordsIn(model.sorted('payment', [account])),
  )
  for (const [ref, list] of [
    ['B5', 'debit'],
    ['B6', 'payment'],
  ] as const) {
    assert.deepEqual(
      await shown(here, ref, { customer, accounts: bank }, drawnSize),
      recordsIn(bank.flatMap((each) => model.sorted(list, [each]))),
    )
  }
}

describe('after any loads', () => {
  it('every list is what a plain list would be, in its order, totals and pages', async () => {
    const here = await provider()

    await fc.assert(
      fc.asyncProperty(drawnLoads, drawnMain, async (loads, main) => {
        const run = cast(main)
        const model = openModel(run.makeAccount)
        const people = [lines.customer(run.customer)]
        const accounts = [...run.bank, ...run.energy].map(run.makeAccount)

        for (const [index, { changes, look }] of loads.entries()) {
          const loadTime = `2025-06-0${1 + index}T06:00:00Z`
          const written = changes.flatMap((drawn) => {
            const change = run.changeOf(drawn)
            // An account that is not yet there cannot go.
            if (index === 0 && change.kind === 'wipe') return []
            model.apply(change, nanoseconds(loadTime))
            return model.formatLines(change)
          })
          // Lines may come in any order: here, accounts after what they hold, and people last.
          const rest = index === 0 ? [...accounts, ...people] : []
          await loadInProcess(here.database, [...written, ...rest], loadTime)
          await compare(here, model, run, look)
        }

        const repeated = loads.at(-1)?.look
        await loadInProcess(here.database, [...accounts, ...people], '2030-01-01T00:00:00Z')
        if (repeated) await compare(here, model, run, repeated)
      }),
      propertyRuns(6),
    )
  })

  it('a load that is repeated changes nothing', async () => {
    const here = await provider()

    await fc.assert(
      fc.asyncProperty(drawnLoads, drawnMain, async ([first], main) => {
        if (!first) return
        const run = cast(main)
        const model = openModel(run.makeAccount)
        // One line for each entry: of two, the second may take its time from the load.
        const changes = new Map(
          first.changes
            .map((drawn) => run.changeOf(drawn))
            .flatMap((change) => (change.kind === 'put' ? [change] : []))
            .map((change) => [`${change.put.list} ${change.put.account} ${change.put.id}`, change]),
        )
        for (const change of changes.values()) {
          model.apply(change, nanoseconds('2025-06-01T06:00:00Z'))
        }
        const written = [...changes.values()].flatMap((change) => model.formatLines(change))
        const accounts = [...run.bank, ...run.energy].map(run.makeAccount)
        const file = [lines.customer(run.customer), ...accounts, ...written]

        await loadInProcess(here.database, file, '2025-06-01T06:00:00Z')
        await loadInProcess(here.database, file, '2025-06-04T06:00:00Z')

        await compare(here, model, run, first.look)
      }),
      propertyRuns(3),
    )
  })

  it('the last line about an entry counts, wherever the lines before it had put it', async () => {
    const here = await provider()
    const places = [undefined, ...moments.slice(0, 4)]
    const look = { size: 2, oldest: 1, newest: 3, turned: false, min: undefined, text: undefined }

    for (const first of places) {
      for (const second of places) {
        const run = cast('transaction')
        const model = openModel(run.makeAccount)
        const at = (id: string, time: string | undefined): Change => {
          const [account = ''] = run.bank
          const put = { account, id, time, amount: '2', text: id } as const
          return { kind: 'put', put: { ...put, list: 'transaction', timeField: 'postingDateTime' } }
        }
        const loads = [
          [at('a', moments[1]), at('b', moments[2])],
          [at('c', first), at('c', second), at('d', moments[2])],
        ]

        const people = [lines.customer(run.customer)]
        const accounts = [...run.bank, ...run.energy].map(run.makeAccount)
        for (const [index, changes] of loads.entries()) {
          const loadTime = `2025-06-0${1 + index}T06:00:00Z`
          for (const change of changes) model.apply(change, nanoseconds(loadTime))
          const written = changes.flatMap((change) => model.formatLines(change))
          await loadInProcess(here.database, [...people, ...accounts, ...written], loadTime)
        }

        await compare(here, model, run, look)
      }
    }
  })
})
