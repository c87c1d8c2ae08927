import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Bench, openBench } from './bench.ts'
import { thousand } from './cases.ts'
import { renderChart } from './chart.ts'
import { generateBankLines, generateLargeAccount, writeLines } from './data.ts'
import { measureEmbedding } from './embedding.ts'
import { measureFeeds } from './feeds.ts'
import { measureFilters } from './filters.ts'
import { measureCustomers, measurePages } from './growth.ts'
import { measureLoading } from './loading.ts'
import { measureOverload } from './overload.ts'
import { renderPage } from './page.ts'
import { requireLinux, runToEnd } from './processes.ts'
import { measurePublicProducts } from './public-products.ts'
import { measureRecords } from './records.ts'
import { createTables, createTargetTable, formatText } from './report.ts'
import { measureOperations, measurePage, type Stores } from './requests.ts'
import { combineRuns, describeMachine, type Results, type Row, replaceRows } from './results.ts'
import { measureStartup } from './startup.ts'
import { evaluateTargets } from './targets.ts'
import { measureTokens } from './tokens.ts'
import { measureValidation } from './validation.ts'
import { measureWorkers } from './workers.ts'

interface Sizes {
  readonly pageRounds: number
  readonly rounds: number
  /** The number of transactions of each large account. */
  readonly accounts: readonly number[]
  /** The number of customers of each database. */
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
/** Each of several runs has fewer rounds: processes differ more than the rounds of one. */
const roundsOfSeveral = { pageRounds: 7, rounds: 1 } as const

/** The same number of rounds, with more data. */
const full: Sizes = {
  ...quick,
  accounts: [thousand, 100_000, 1_000_000],
  customers: [1000, 1_000_000],
}

/** The parts of a run, in order of execution. */
const parts: Readonly<
  Record<string, (bench: Bench, stores: Stores, sizes: Sizes) => Promise<Row[]>>
> = {
  page: (bench, stores, { pageRounds }) => measurePage(bench, stores, pageRounds, log),
  embedding: (bench, stores, { pageRounds }) => measureEmbedding(bench, stores, pageRounds, log),
  records: (bench, stores, { pageRounds }) => measureRecords(bench, stores, pageRounds, log),
  products: (bench, stores, { pageRounds }) =>
    measurePublicProducts(bench, stores, pageRounds, log),
  operations: (bench, stores, { rounds }) => measureOperations(bench, stores, rounds, log),
  pages: (bench, stores, { accounts, rounds }) =>
    measurePages(bench, stores, accounts, rounds, log),
  filters: (bench, stores, { accounts, rounds }) =>
    measureFilters(bench, stores, Math.max(...accounts), rounds, log),
  customers: (bench, _stores, { customers, rounds }) =>
    measureCustomers(bench, customers, rounds, log),
  workers: (bench, stores, { rounds }) => measureWorkers(bench, stores, rounds, log),
  overload: (bench, stores) => measureOverload(bench, stores, log),
  load: (bench, _stores, { loadLines, rounds }) => measureLoading(bench, loadLines, rounds, log),
  feeds: (bench, _stores, { accounts, loadLines, rounds }) =>
    measureFeeds(bench, { largest: Math.max(...accounts), lines: loadLines / 5, rounds }, log),
  start: (bench, stores) => measureStartup(bench, stores, log),
  tokens: (bench) => measureTokens(bench),
  validation: async () => measureValidation(),
}

const options = {
  full: {
    type: 'boolean',
    about: 'measures accounts of a million entries, and a million customers, too: hours, 70 GB',
  },
  only: { type: 'string', about: `measures these parts: ${Object.keys(parts).join(',')}` },
  runs: {
    type: 'string',
    default: '1',
    about: 'repeats each part and states the median, the lowest and the highest value',
  },
  write: {
    type: 'boolean',
    about:
      'stores the results and generates the performance page; with --only, replaces these parts',
  },
  page: { type: 'boolean', about: 'only generates the page from the stored results' },
  help: { type: 'boolean', short: 'h', about: 'prints this' },
} as const
const { values: flags } = parseArgs({ options })
if (flags.help) {
  console.log('Usage: npm run bench -- [options]\n')
  for (const [name, { about }] of Object.entries(options)) {
    console.log(`  --${name.padEnd(8)}${about}`)
  }
  process.exit()
}
const names = flags.only?.split(',') ?? Object.keys(parts)
const unknown = names.filter((name) => !Object.hasOwn(parts, name))
if (unknown.length > 0) {
  throw new Error(
    `unknown part ${unknown.join(', ')}; the parts are ${Object.keys(parts).join(', ')}`,
  )
}
const runs = Number(flags.runs)
if (!Number.isInteger(runs) || runs < 1) throw new Error('--runs must be a positive integer')

const resolve = (name: string) => new URL(`../${name}`, import.meta.url)
const storedResults = resolve('bench/results.json')
if (flags.page) {
  writePage()
  process.exit()
}

requireLinux()
// The exit handlers end child processes and remove temporary files.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const started = performance.now()
const sizes = flags.full ? full : quick
const results = await measure(runs === 1 ? sizes : { ...sizes, ...roundsOfSeveral })
print(results.rows)
if (flags.write) {
  const written = flags.only === undefined ? results : addToStored(results)
  writeFileSync(storedResults, `${JSON.stringify(written, roundNumber, 2)}\n`)
  console.log('written: bench/results.json')
  writePage()
}

/** Prints the rows and the targets that they concern. */
function print(rows: readonly Row[]): void {
  const targets = evaluateTargets(rows).filter(({ at }) => at !== undefined)
  console.log()
  for (const table of [...createTables(rows), createTargetTable(targets)]) {
    console.log(formatText(table))
  }
}

/** Stored results of another machine, or of other versions, cannot be compared with new ones and are discarded. */
function addToStored(added: Results): Results {
  const stored = JSON.parse(readFileSync(storedResults, 'utf8')) as Results
  const identify = ({ machine: { date: _, ...rest } }: Results) => JSON.stringify(rest)
  if (identify(stored) !== identify(added)) {
    console.log('the stored results are of another machine and are discarded')
    return added
  }
  const rows = replaceRows(stored.rows, added.rows)
  return {
    ...added,
    isFull: stored.isFull || added.isFull,
    minutes: stored.minutes + added.minutes,
    rows,
  }
}

/** Uses the stored, rounded results, so that the page is reproducible. */
function writePage(): void {
  const stored = JSON.parse(readFileSync(storedResults, 'utf8')) as Results
  const page = { 'performance.svg': renderChart(stored), 'performance.md': renderPage(stored) }
  for (const [name, text] of Object.entries(page)) {
    writeFileSync(resolve(`docs/explanation/${name}`), text)
    console.log(`written: docs/explanation/${name}`)
  }
}

async function measure(sizes: Sizes): Promise<Results> {
  const bench = await openBench()
  try {
    const machine = await describeMachine(bench)
    log(`${machine.cores} cores of ${machine.cpu}, Node ${machine.node}`)
    const stores = await loadBank(bench, sizes)
    const rowsOfRuns: Row[][] = []
    for (let run = 1; run <= runs; run += 1) {
      if (runs > 1) log(`run ${run} of ${runs}`)
      const measured: Row[] = []
      for (const name of names) {
        measured.push(...((await parts[name]?.(bench, stores, sizes)) ?? []))
      }
      rowsOfRuns.push(measured)
      if (runs > 1) print(measured)
    }
    const rows = combineRuns(rowsOfRuns)
    return {
      machine,
      isFull: flags.full === true,
      minutes: (performance.now() - started) / 60_000,
      rows,
    }
  } finally {
    await bench.close()
  }
}

async function loadBank(bench: Bench, { accounts }: Sizes): Promise<Stores> {
  log('loading the data into both engines')
  const { file: customers } = await writeLines(
    bench.folder,
    'bank',
    generateBankLines({ customers: 100 }),
  )
  const lines = accounts.values().flatMap(generateLargeAccount)
  const { file: large } = await writeLines(bench.folder, 'large', lines)
  const stores = {
    sqlite: await bench.database('sqlite', 'bank'),
    postgres: await bench.database('postgres', 'bank'),
    clone: await bench.database('sqlite', 'clone'),
  }
  for (const database of Object.values(stores)) {
    await runToEnd(bench.program, ['load', customers, large, '--database', database])
  }
  return stores
}

/** Prints a message with the time since the start. */
function log(text: string): void {
  const seconds = (performance.now() - started) / 1000
  console.log(`${seconds.toFixed(0).padStart(5)} s  ${text}`)
}

/** Rounds to four significant digits. */
function roundNumber(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value
}
