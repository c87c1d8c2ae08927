import { connectionsDefault } from './compare.ts'
import { embeddingRows, onGuard, onSource } from './embedding.ts'
import { feedRows, loadOfLines, withoutFeeds } from './feeds.ts'
import { filters, unfiltered, waitOfOthers } from './filters.ts'
import { firstPage, growingOperations, lastPage } from './growth.ts'
import { bulkPath } from './loading.ts'
import { publicList, publicRates } from './public-products.ts'
import {
  fewConnections,
  onClone,
  onHandWritten,
  onLowerBound,
  onPostgres,
  onSqlite,
  pageRowName,
} from './requests.ts'
import { formatCount, type Row, type TargetResult } from './results.ts'
import { fromClone, installed, memoryRows } from './startup.ts'

interface Target {
  readonly figure: string
  readonly most: number
  /** The row's name and server. */
  readonly name: string
  readonly on: string
  /** The baseline of the ratio; without one, the target is the row's value. */
  readonly against?: string
}

const million = formatCount(1_000_000)
const thousandCustomers = `${formatCount(1000)} customers`
/** The prefix of a figure. The guard and the source keep their used tokens in SQLite. */
const serverPrefixes = {
  [onSqlite]: '',
  [onPostgres]: '',
  [onClone]: 'from a clone: ',
  [onGuard]: 'guard: ',
  [onSource]: 'source: ',
} as const
const both = [onSqlite, onPostgres] as const

/** By the name of the row. */
const operationTargets = {
  'B3 × 1000': { about: 'B3, 1000 per page', most: 2.5 },
  E3: { about: 'E3, 5 accounts', most: 2.2 },
  E5: { about: 'E5, 5 accounts', most: 2.2 },
  P3: { about: 'P3', most: 1.8 },
} as const

/** A missed target is reported and does not fail the run. */
const targets: readonly Target[] = [
  ...[connectionsDefault, fewConnections].flatMap((connections) => [
    ...([onSqlite, onClone] as const).flatMap((on) => [
      pageTarget('ES256', on, onLowerBound, 1.3, connections),
      pageTarget('PS256', on, onLowerBound, 1.6, connections),
    ]),
    pageTarget('ES256', onPostgres, onLowerBound, 1.55, connections),
    pageTarget('PS256', onPostgres, onLowerBound, 1.9, connections),
  ]),
  pageTarget('ES256', onSqlite, onHandWritten, 0.42),
  pageTarget('PS256', onSqlite, onHandWritten, 0.42),
  pageTarget('ES256', onGuard, onLowerBound, 1.7),
  pageTarget('PS256', onGuard, onLowerBound, 2.2),
  pageTarget('ES256', onSource, onLowerBound, 1.9),
  pageTarget('PS256', onSource, onLowerBound, 2.6),
  { figure: `guard: ${embeddingRows.added99}`, most: 5, name: embeddingRows.added99, on: onGuard },
  { figure: `guard: ${embeddingRows.memory}`, most: 160, name: embeddingRows.memory, on: onGuard },
  ...both.flatMap((on) => [
    {
      figure: `${publicList}, against lower bound`,
      most: 1.8,
      name: publicList,
      on,
      against: onLowerBound,
    },
    ...Object.values(publicRates).map((name) => ({ figure: name, most: 50, name, on })),
  ]),
  ...both.flatMap((on) =>
    Object.entries(operationTargets).map(([name, { about, most }]) => ({
      figure: `${about}, against lower bound`,
      most,
      name,
      on,
      against: onLowerBound,
    })),
  ),
  ...both.map((on) => ({
    figure: `B3 of ${million}, last page against page 1`,
    most: 1.15,
    name: `B3 of ${million}, ${lastPage}`,
    on,
    against: firstPage,
  })),
  ...both.flatMap((on) =>
    [filters.text, filters.amount].map((name) => ({
      figure: `B3 of ${million}, ${name}, against ${unfiltered}`,
      most: 10,
      name: `B3 of ${million}, ${name}`,
      on,
      against: unfiltered,
    })),
  ),
  ...both.map((on) => ({
    figure: `${waitOfOthers}, ${million}`,
    most: 5,
    name: `${waitOfOthers}, ${million}`,
    on,
  })),
  ...both.flatMap((on) =>
    growingOperations.map((operation) => ({
      figure: `${operation}, ${million} customers against 1 thousand`,
      most: 1.15,
      name: `${operation}, ${million} customers`,
      on,
      against: thousandCustomers,
    })),
  ),
  {
    figure: `load against ${bulkPath.sqlite}, time`,
    most: 2.2,
    name: 'load',
    on: onSqlite,
    against: bulkPath.sqlite,
  },
  {
    figure: `load against ${bulkPath.postgres}, time`,
    most: 2.2,
    name: 'load',
    on: onPostgres,
    against: bulkPath.postgres,
  },
  ...both.flatMap((on) => [
    feedTarget(feedRows.visible50, on, 20),
    feedTarget(feedRows.visible99, on, 100),
    feedTarget(feedRows.continuousReaders, on, 1.3, withoutFeeds),
    // At least 0.7 times as many lines per second.
    feedTarget(feedRows.batches, on, 1.43, loadOfLines),
    feedTarget(feedRows.late(1_000_000), on, 250),
  ]),
  ...both.flatMap((on) => [
    { figure: memoryRows.page, most: 120, name: memoryRows.page, on },
    { figure: memoryRows.thousand, most: 160, name: memoryRows.thousand, on },
  ]),
  startTarget(installed, 300),
  startTarget(fromClone, 450),
]

export function evaluateTargets(rows: readonly Row[]): TargetResult[] {
  return targets.map(({ figure, most, name, on, against }) => {
    const row = rows.find((candidate) => candidate.name === name && candidate.on === on)
    const at = against === undefined ? row?.value?.amount : row?.ratios?.[against]
    const engine = on === onPostgres ? 'PostgreSQL' : 'SQLite'
    const unit = against === undefined ? getUnit(name) : '×'
    return { figure, engine, most, unit, ...(at !== undefined && { at }) }
  })
}

function feedTarget(
  name: string,
  on: (typeof both)[number],
  most: number,
  against?: string,
): Target {
  const baseline = against === undefined ? '' : `, against ${against}`
  const figure = `feeds: ${name}${baseline}`
  return { figure, most, name, on, ...(against !== undefined && { against }) }
}

function startTarget(where: string, most: number): Target {
  const name = `start to first response, ${where}`
  return { figure: name, most, name, on: onSqlite }
}

function getUnit(name: string): string {
  return name.includes('memory') ? 'MB' : 'ms'
}

function pageTarget(
  algorithm: string,
  on: keyof typeof serverPrefixes,
  against: string,
  most: number,
  connections = connectionsDefault,
): Target {
  const figure = `${serverPrefixes[on]}B3, 25 per page, ${algorithm}, ${connections} connections, against ${against}`
  return { figure, most, name: pageRowName(algorithm, connections), on, against }
}
