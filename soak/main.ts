import { parseArgs } from 'node:util'
import { requireLinux } from '../bench/processes.ts'
import { type Engine, engines } from './engines.ts'
import type { Result } from './run.ts'
import { type Fault, faults } from './tally.ts'

const help = `npm run soak -- [--minutes N] [--engine sqlite|postgres|both|citus] [--records]

Runs the whole product under valid, invalid and hostile traffic, with loads, restarts and faults (clock steps, a full
disk, a lost standby, a failover), and compares every response with the loaded data. At the same time, two clients send
feeds, writers publish products, customers give and withdraw consents, and a guard has an upstream that fails, while the
processes are killed; models decide what must be stored and served. Exits with 1 if it finds a fault. Ten minutes per
engine by default. Clock steps need faketime (Debian), a full disk needs root. The engine citus starts a cluster with the
programs in CITUS_HOME (CONTRIBUTING.md), moves its shards and stops its workers. With --records, the provider records its
answers, and those that clients received are compared with the records.
`

const minutesDefault = 10

/** How many of the logged errors are printed. */
const errorsMax = 20

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: String(minutesDefault) },
    engine: { type: 'string', default: 'both' },
    records: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const chosen = engines.filter(
  (engine) => values.engine === engine || (values.engine === 'both' && engine !== 'citus'),
)
const minutes = Number(values.minutes)

if (values.help || chosen.length === 0 || !(minutes > 0)) {
  process.stderr.write(help)
  process.exit(values.help ? 0 : 2)
}
requireLinux()
for (const engine of chosen) report(await soakWithProgress(engine))
// What a part that failed has begun may still wait for a response.
process.exit()

async function soakWithProgress(engine: Engine): Promise<Result> {
  // Loaded only now: printing the help needs none of it.
  const { soak } = await import('./run.ts')
  const start = performance.now()
  const onEvent = (event: string) => {
    if (!process.stderr.isTTY) return
    const seconds = Math.round((performance.now() - start) / 1000)
    process.stderr.write(`\r\u001b[K${engine}, ${seconds} s of ${minutes * 60}: ${event}`)
  }
  try {
    return await soak(engine, minutes * 60_000, onEvent, values.records)
  } finally {
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
  }
}

function report({ engine, seconds, tally, memory, errors, skipped }: Result): void {
  const kinds = Object.keys(faults) as Fault[]
  const isPassed = kinds.every((kind) => tally.faultCount(kind) === 0)
  const counts = [...tally.counts].filter(([name]) => !Object.values<string>(faults).includes(name))
  const rows = [
    ['engine', engine],
    ['seconds', seconds.toFixed(0)],
    ...counts.sort(([a], [b]) => (a < b ? -1 : 1)),
    ...kinds.map((kind) => [faults[kind], tally.faultCount(kind)]),
    ['worker memory at the start', megabytes(memory.start)],
    ['worker memory at the end', megabytes(memory.end)],
    ['peak worker memory', megabytes([memory.peak])],
    ['errors logged', errors.length],
  ]
  for (const [name = '', value] of rows)
    process.stdout.write(`${String(name).padEnd(52)} ${value}\n`)
  for (const line of skipped) process.stdout.write(`SKIPPED  ${line}\n`)
  for (const line of [...tally.examples, ...errors.slice(0, errorsMax)])
    process.stdout.write(`  ${line}\n`)
  process.stdout.write(isPassed ? 'PASSED\n\n' : 'FAILED\n\n')
  if (!isPassed) process.exitCode = 1
}

function megabytes(values: readonly number[]): string {
  return `${values.map((value) => value.toFixed(0)).join(', ')} MB`
}
