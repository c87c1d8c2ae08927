import { firstPage, lastPage } from './growth.ts'
import { bulkPath } from './loading.ts'
import { onHandMade, onLimit, onPostgres, onSqlite } from './requests.ts'
import { counted, type Judged, type Row } from './results.ts'
import { fromClone, installed } from './starting.ts'

interface Target {
  readonly figure: string
  readonly most: number
  /** Which row has it, and which ratio of that row; without one it is the row's value. */
  readonly name: string
  readonly on: string
  readonly against?: string
}

const million = counted(1_000_000)
const thousandCustomers = `${counted(1000)} customers`
const shortOf = { [onSqlite]: 'SQLite', [onPostgres]: 'PostgreSQL' } as const
const both = [onSqlite, onPostgres] as const

/** The targets. They are reported beside the measurements; a missed target fails no run. */
const targets: readonly Target[] = [
  page('ES256', onSqlite, onLimit, 1.3),
  page('PS256', onSqlite, onLimit, 1.4),
  page('ES256', onPostgres, onLimit, 1.75),
  page('PS256', onPostgres, onLimit, 2),
  page('ES256', onSqlite, onHandMade, 0.42),
  page('PS256', onSqlite, onHandMade, 0.42),
  ...both.map((on) => ({
    figure: `B3, 1000 per page, ${shortOf[on]}, against lower bound`,
    most: 3.5,
    name: 'B3 × 1000',
    on,
    against: onLimit,
  })),
  ...both.map((on) => ({
    figure: `B3 of ${million}, last page against page 1, ${shortOf[on]}`,
    most: 1.2,
    name: `B3 of ${million}, ${lastPage}`,
    on,
    against: firstPage,
  })),
  ...both.flatMap((on) =>
    ['B2', 'B3'].map((operation) => ({
      figure: `${operation}, ${million} customers against 1 thousand, ${shortOf[on]}`,
      most: 1.2,
      name: `${operation}, ${million} customers`,
      on,
      against: thousandCustomers,
    })),
  ),
  {
    figure: `load against ${bulkPath.sqlite}, SQLite, time`,
    most: 2.5,
    name: 'load',
    on: onSqlite,
    against: bulkPath.sqlite,
  },
  {
    figure: `load against ${bulkPath.postgres}, PostgreSQL, time`,
    most: 2.5,
    name: 'load',
    on: onPostgres,
    against: bulkPath.postgres,
  },
  ...both.map((on) => ({
    figure: `resident memory of one worker under load, ${shortOf[on]}, peak`,
    most: 160,
    name: 'memory under load, peak',
    on,
  })),
  ...[installed, fromClone].map((where) => ({
    figure: `start to first response, SQLite, ${where}`,
    most: 400,
    name: `start to first response, ${where}`,
    on: onSqlite,
  })),
]

export function judge(rows: readonly Row[]): Judged[] {
  return targets.map(({ figure, most, name, on, against }) => {
    const row = rows.find((candidate) => candidate.name === name && candidate.on === on)
    const at = against === undefined ? row?.value?.amount : row?.ratios?.[against]
    const unit = against === undefined ? unitOf(name) : '×'
    return { figure, most, unit, ...(at !== undefined && { at }) }
  })
}

function unitOf(name: string): string {
  return name.startsWith('memory') ? 'MB' : 'ms'
}

function page(algorithm: string, on: (typeof both)[number], against: string, most: number): Target {
  const figure = `B3, 25 per page, ${algorithm}, ${shortOf[on]}, against ${against}`
  return { figure, most, name: `B3 ${algorithm}`, on, against }
}
