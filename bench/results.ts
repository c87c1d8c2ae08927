import { cpus, totalmem } from 'node:os'
import { type Bench, runSql } from './bench.ts'
import { type Figure, type Measured, median } from './compare.ts'

/** The tables of the report. */
export const groups = [
  'requests',
  'peak',
  'growth',
  'overload',
  'load',
  'feeds',
  'guard',
  'process',
  'records',
  'workers',
] as const
export type Group = (typeof groups)[number]

export interface Row {
  readonly group: Group
  /** The operation or measurement, such as B3, with the token algorithm where it matters. */
  readonly name: string
  /** A description, if the name is not enough. */
  readonly about?: string
  /** The server: a lower bound, the hand-written server, Holdfast on SQLite or on PostgreSQL. */
  readonly on: string
  readonly figure?: Figure
  /** A single value instead of a figure. */
  readonly value?: { readonly amount: number; readonly unit: string }
  /** Ratios by the name of the baseline. */
  readonly ratios?: Readonly<Record<string, number>>
  /** The lowest and the highest value or ratio of several runs. */
  readonly valueSpread?: Spread
  readonly ratioSpreads?: Readonly<Record<string, Spread>>
}

export type Spread = readonly [lowest: number, highest: number]

export interface Machine {
  readonly cores: number
  readonly cpu: string
  readonly memoryGigabytes: number
  readonly node: string
  readonly postgres: string
  readonly date: string
}

/** A target and what was measured on SQLite and, unless it is the same, on PostgreSQL. */
export interface TargetResult {
  readonly about: string
  readonly most: number
  readonly unit: string
  readonly measured: readonly ({ readonly value: number; readonly spread?: Spread } | undefined)[]
}

export interface Results {
  readonly machine: Machine
  readonly isFull: boolean
  readonly runs: number
  readonly minutes: number
  readonly rows: readonly Row[]
}

export function toFigure({ rounds: _, ...figure }: Measured): Figure {
  return figure
}

export async function describeMachine({ postgres }: Bench): Promise<Machine> {
  const { rows } = await runSql(postgres.url(), 'show server_version')
  return {
    cores: cpus().length,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    postgres: (rows[0] as { server_version: string }).server_version,
    date: new Date().toISOString().slice(0, 10),
  }
}

const keyOf = ({ group, name, on }: Row): string => [group, name, on].join('\n')

/** Replaces rows that were measured again and appends new ones. */
export function replaceRows(rows: readonly Row[], measured: readonly Row[]): Row[] {
  return [...new Map([...rows, ...measured].map((row) => [keyOf(row), row])).values()]
}

/** Combines the rows of several runs: medians, with the lowest and the highest value. */
export function combineRuns(runs: readonly (readonly Row[])[]): Row[] {
  const byKey = Map.groupBy(runs.flat(), keyOf)
  return [...byKey.values()].flatMap((rows) => {
    const [first] = rows
    if (!first || rows.length === 1) return rows
    const { figure, value, ratios } = first
    const values = rows.map((row) => row.value?.amount ?? Number.NaN)
    const ratiosTo = (baseline: string) => rows.map((row) => row.ratios?.[baseline] ?? Number.NaN)
    return {
      ...first,
      ...(figure && { figure: combineFigures(rows.flatMap((row) => row.figure ?? [])) }),
      ...(value && {
        value: { ...value, amount: median(values) },
        valueSpread: spreadOf(values),
      }),
      ...(ratios && {
        ratios: mapValues(ratios, (_, baseline) => median(ratiosTo(baseline))),
        ratioSpreads: mapValues(ratios, (_, baseline) => spreadOf(ratiosTo(baseline))),
      }),
    }
  })
}

function combineFigures(figures: readonly Figure[]): Figure {
  const [first] = figures
  if (!first) throw new Error('no figure')
  return mapValues(first, (_, name) => median(figures.map((figure) => figure[name] ?? Number.NaN)))
}

function spreadOf(values: readonly number[]): Spread {
  return [Math.min(...values), Math.max(...values)]
}

function mapValues<Name extends string, From, To>(
  record: Readonly<Partial<Record<Name, From>>>,
  map: (value: From, name: Name) => To,
): Record<Name, To> {
  const entries = Object.entries(record) as [Name, From][]
  return Object.fromEntries(entries.map(([name, value]) => [name, map(value, name)])) as Record<
    Name,
    To
  >
}

/** Prints a progress message. */
export type Log = (text: string) => void

const roundNumbers: Readonly<Record<number, string>> = {
  1000: '1 thousand',
  100000: '100 thousand',
  1000000: '1 million',
}

export function formatCount(count: number): string {
  return roundNumbers[count] ?? count.toLocaleString('en')
}
