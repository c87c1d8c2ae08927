import { cpus, totalmem } from 'node:os'
import { type Bench, runSql } from './bench.ts'
import type { Figure, Measured } from './compare.ts'

/** The tables of the report. */
export const groups = [
  'requests',
  'embedding',
  'products',
  'growth',
  'workers',
  'overload',
  'load',
  'feeds',
  'process',
  'parts',
] as const
export type Group = (typeof groups)[number]

export interface Row {
  readonly group: Group
  /** The operation or measurement, such as B3, with the token algorithm where it matters. */
  readonly name: string
  /** A description, if the name is not enough. */
  readonly about?: string
  /** The server: the lower bound, the hand-written server, Holdfast on SQLite or on PostgreSQL. */
  readonly on: string
  readonly figure?: Figure
  /** A single value instead of a figure. */
  readonly value?: { readonly amount: number; readonly unit: string }
  /** Ratios by the name of the baseline. */
  readonly ratios?: Readonly<Record<string, number>>
}

export interface Machine {
  readonly cores: number
  readonly cpu: string
  readonly memoryGigabytes: number
  readonly node: string
  readonly postgres: string
  readonly date: string
}

/** A target and its measurement; `at` is undefined if this run did not measure it. */
export interface TargetResult {
  readonly figure: string
  readonly most: number
  readonly unit: string
  readonly at?: number
}

export interface Results {
  readonly machine: Machine
  readonly isFull: boolean
  readonly minutes: number
  readonly rows: readonly Row[]
  readonly targets: readonly TargetResult[]
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
