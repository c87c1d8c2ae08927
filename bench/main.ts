import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Bench, openBench } from './bank.ts'
import { thousand } from './cases.ts'
import { chartOf } from './chart.ts'
import { bankLines, largeAccountLines, writeLines } from './data.ts'
import { measureCustomers, measurePages } from './growth.ts'
import { measureLoading } from './loading.ts'
import { measureOverload } from './overload.ts'
import { pageOf } from './page.ts'
import { requireLinux, runToEnd } from './processes.ts'
import { printed, tablesOf } from './report.ts'
import { measureOperations, measurePage, type Stores } from './requests.ts'
import { machineHere, type Results, type Row } from './results.ts'
import { measureStarting } from './starting.ts'
import { judge } from './targets.ts'
import { measureTokens } from './tokens.ts'
import { measureValidation } from './validation.ts'
import { measureWorkers } from './workers.ts'

/** How much is measured. */
interface Sizes {
  readonly pageRounds: number
  readonly rounds: number
  /** Accounts with that many transactions, and stores with that many customers. */
  readonly accounts: readonly number[]
  readonly customers: readonly number[]
  readonly loadLines: number
}

const quick: Sizes = {
  pageRounds: 21,
  rounds: 3,
  accounts: [thousand, 100_000],
  customers: [1000],
  loadLines: 100_000,
}
/** As often, on more. */
const full: Sizes = {
  ...quick,
  accounts: [thousand, 100_000, 1_000_000],
  customers: [1000, 1_000_000],
  loadLines: 500_000,
}

/** The parts of a run, in their order. */
const parts: Readonly<
  Record<string, (bench: Bench, stores: Stores, sizes: Sizes) => Promise<Row[]>>
> = {
  page: (bench, stores, { pageRounds }) => measurePage(bench, stores, pageRounds, tell),
  operations: (bench, stores, { rounds }) => measureOperations(bench, stores, rounds, tell),
  pages: (bench, stores, { accounts, rounds }) =>
    measurePages(bench, stores, accounts, rounds, tell),
  customers: (bench, _stores, { customers, rounds }) =>
    measureCustomers(bench, customers, rounds, tell),
  workers: (bench, stores, { rounds }) => measureWorkers(bench, stores, rounds, tell),
  overload: (bench, stores) => measureOverload(bench, stores, tell),
  load: (bench, _stores, { loadLines, rounds }) => measureLoading(bench, loadLines, rounds, tell),
  start: (bench, stores) => measureStarting(bench, stores, tell),
  tokens: (bench) => measureTokens(bench),
  validation: async () => measureValidation(),
}

const { values: flags } = parseArgs({
  options: {
    // Millions: forty minutes instead of four.
    full: { type: 'boolean', default: false },
    // Some parts only, by their names: page,load
    only: { type: 'string' },
    // Stores the results, and writes the page about them.
    write: { type: 'boolean', default: false },
    // Only writes the page again, from the stored results.
    page: { type: 'boolean', default: false },
  },
})
const names = flags.only?.split(',') ?? Object.keys(parts)
const unknown = names.filter((name) => !Object.hasOwn(parts, name))
if (unknown.length > 0) {
  throw new Error(`there is no ${unknown.join(', ')}: ${Object.keys(parts).join(', ')}`)
}
if (flags.only && flags.write) throw new Error('only a whole run is written')

const place = (name: string) => new URL(`../${name}`, import.meta.url)
const storedResults = place('bench/results.json')
if (flags.page) {
  writePage()
  process.exit()
}

requireLinux()
// What was started is ended, and what was written removed, on the way out.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const started = performance.now()
const results = await measure(flags.full ? full : quick)
console.log()
for (const table of tablesOf(results)) console.log(printed(table))
if (flags.write) {
  writeFileSync(storedResults, `${JSON.stringify(results, rounded, 2)}\n`)
  console.log('written: bench/results.json')
  writePage()
}

/** From the stored results, whose digits are rounded: the page is the same whenever it is written. */
function writePage(): void {
  const stored = JSON.parse(readFileSync(storedResults, 'utf8')) as Results
  const page = { 'performance.svg': chartOf(stored), 'performance.md': pageOf(stored) }
  for (const [name, text] of Object.entries(page)) {
    writeFileSync(place(`docs/explanation/${name}`), text)
    console.log(`written: docs/explanation/${name}`)
  }
}

async function measure(sizes: Sizes): Promise<Results> {
  const bench = await openBench()
  try {
    const machine = await machineHere(bench)
    tell(`${machine.cores} cores of ${machine.cpu}, Node ${machine.node}`)
    const stores = await loadBank(bench, sizes)
    const rows: Row[] = []
    for (const name of names) rows.push(...((await parts[name]?.(bench, stores, sizes)) ?? []))
    return {
      machine,
      isFull: flags.full,
      minutes: (performance.now() - started) / 60_000,
      rows,
      targets: judge(rows),
    }
  } finally {
    await bench.close()
  }
}

async function loadBank(bench: Bench, { accounts }: Sizes): Promise<Stores> {
  tell('the bank, on both engines')
  const { file: people } = await writeLines(bench.folder, 'people', bankLines({ customers: 100 }))
  const lines = accounts.values().flatMap(largeAccountLines)
  const { file: large } = await writeLines(bench.folder, 'large', lines)
  const stores = {
    sqlite: await bench.database('sqlite', 'bank'),
    postgres: await bench.database('postgres', 'bank'),
  }
  for (const database of Object.values(stores)) {
    await runToEnd(bench.program, ['load', people, large, '--database', database])
  }
  return stores
}

/** Says what goes on, with the time since the start. */
function tell(text: string): void {
  const seconds = (performance.now() - started) / 1000
  console.log(`${seconds.toFixed(0).padStart(5)} s  ${text}`)
}

/** Digits that mean something. */
function rounded(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value
}
