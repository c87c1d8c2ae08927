import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type Bench, openBench } from './bench.ts'
import { thousand } from './cases.ts'
import { renderChart } from './chart.ts'
import { generateBankLines, generateLargeAccount, writeLines } from './data.ts'
import { measureFeeds } from './feeds.ts'
import { measureFilters } from './filters.ts'
import { measureCustomers, measureDeepPage } from './growth.ts'
import { measureGuard } from './guard.ts'
import { measureLoading } from './loading.ts'
import { measureOverload } from './overload.ts'
import { renderPage } from './page.ts'
import { measurePeak } from './peak.ts'
import { requireLinux, runToEnd } from './processes.ts'
import { profileRequests } from './profile.ts'
import { measureRecords } from './records.ts'
import { createTables, createTargetTable, formatText } from './report.ts'
import { measureRequests, type Stores } from './requests.ts'
import { combineRuns, describeMachine, type Results, type Row, replaceRows } from './results.ts'
import { measureStartup } from './startup.ts'
import { evaluateTargets } from './targets.ts'
import { measureWorkers } from './workers.ts'

interface Sizes {
  /** The number of transactions of the largest account. */
  readonly account: number
  /** The number of customers of each database. */
  readonly customers: readonly number[]
}

const quick: Sizes = { account: 100_000, customers: [1000] }
const full: Sizes = { account: 1_000_000, customers: [1000, 1_000_000] }

/** In each run. Processes differ more than the rounds of one. */
const rounds = 7
const loadLines = 100_000

type Part = (bench: Bench, stores: Stores, sizes: Sizes) => Promise<Row[]>

/** The parts of a run, in order of execution. */
const parts: Readonly<Record<string, Part>> = {
  requests: (bench, stores) => measureRequests(bench, stores, rounds, log),
  peak: (bench, stores) => measurePeak(bench, stores, log),
  deep: (bench, stores, { account }) => measureDeepPage(bench, stores, account, rounds, log),
  filters: (bench, stores, { account }) => measureFilters(bench, stores, account, rounds, log),
  overload: (bench, stores) => measureOverload(bench, stores, log),
  load: (bench) => measureLoading(bench, loadLines, log),
  feeds: (bench) => measureFeeds(bench, log),
  guard: (bench, stores) => measureGuard(bench, stores, log),
  start: (bench, stores) => measureStartup(bench, stores, log),
}

/** They have no target, and run only when they are named. */
const otherParts: Readonly<Record<string, Part>> = {
  records: (bench, stores) => measureRecords(bench, stores, rounds, log),
  workers: (bench, stores) => measureWorkers(bench, stores, rounds, log),
  customers: (bench, _stores, { customers }) => measureCustomers(bench, customers, rounds, log),
}

const options = {
  full: {
    type: 'boolean',
    about: 'measures an account of a million transactions; with --only customers, hours and 70 GB',
  },
  only: {
    type: 'string',
    about: `measures these parts: ${Object.keys(parts).join(',')}; or ${Object.keys(otherParts).join(',')}`,
  },
  runs: {
    type: 'string',
    default: '5',
    about: 'repeats all, with new processes, for the median, the lowest and the highest value',
  },
  write: {
    type: 'boolean',
    about:
      'stores the results and generates the performance page; with --only, replaces these parts',
  },
  profile: {
    type: 'boolean',
    about: 'only prints what a request for transactions needs its CPU time for',
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
const allParts = { ...parts, ...otherParts }
const unknown = names.filter((name) => !Object.hasOwn(allParts, name))
if (unknown.length > 0) {
  throw new Error(
    `unknown part ${unknown.join(', ')}; the parts are ${Object.keys(allParts).join(', ')}`,
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
if (flags.profile) {
  await withBench(async (bench) => {
    const table = await profileRequests(bench, await loadBank(bench, quick), log)
    console.log(`\n${formatText(table)}`)
  })
  process.exit()
}
const results = await measure(flags.full ? full : quick)
print(results.rows)
if (flags.write) {
  const written = flags.only === undefined ? results : addToStored(results)
  writeFileSync(storedResults, `${JSON.stringify(written, roundNumber, 2)}\n`)
  console.log('written: bench/results.json')
  writePage()
}

/** Prints the rows and the targets that they concern. */
function print(rows: readonly Row[]): void {
  const targets = evaluateTargets(rows).filter(({ measured }) => measured.some(Boolean))
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

async function withBench<Result>(work: (bench: Bench) => Promise<Result>): Promise<Result> {
  const bench = await openBench()
  try {
    return await work(bench)
  } finally {
    await bench.close()
  }
}

function measure(sizes: Sizes): Promise<Results> {
  return withBench(async (bench) => {
    const machine = await describeMachine(bench)
    log(`${machine.cores} cores of ${machine.cpu}, Node ${machine.node}`)
    const stores = await loadBank(bench, sizes)
    const rowsOfRuns: Row[][] = []
    for (let run = 1; run <= runs; run += 1) {
      if (runs > 1) log(`run ${run} of ${runs}`)
      const measured: Row[] = []
      for (const name of names) {
        measured.push(...((await allParts[name]?.(bench, stores, sizes)) ?? []))
      }
      rowsOfRuns.push(measured)
      if (runs > 1) print(measured)
    }
    const rows = combineRuns(rowsOfRuns)
    return {
      machine,
      isFull: flags.full === true,
      runs,
      minutes: (performance.now() - started) / 60_000,
      rows,
    }
  })
}

async function loadBank(bench: Bench, { account }: Sizes): Promise<Stores> {
  log('loading the data into both engines')
  const { file: customers } = await writeLines(
    bench.folder,
    'bank',
    generateBankLines({ customers: 100, products: 1000 }),
  )
  const lines = [thousand, account].values().flatMap(generateLargeAccount)
  const { file: large } = await writeLines(bench.folder, 'large', lines)
  const stores = {
    sqlite: await bench.database('sqlite', 'bank'),
    postgres: await bench.database('postgres', 'bank'),
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
