import { cpus, totalmem } from 'node:os'
import { type Bench, runSql } from './bank.ts'
import type { Figure, Measured } from './compare.ts'

/** Which part of the table a row belongs to. */
export const groups = [
  'requests',
  'growth',
  'workers',
  'overload',
  'load',
  'process',
  'parts',
] as const
export type Group = (typeof groups)[number]

/** One line of the table. */
export interface Row {
  readonly group: Group
  /** What was measured, such as B3, with the algorithm of the tokens where that matters. */
  readonly name: string
  /** What that is, in words, where the name does not say it. */
  readonly about?: string
  /** On what: the lower bound, the hand-written server, Holdfast on SQLite, Holdfast on PostgreSQL. */
  readonly on: string
  readonly figure?: Figure
  /** A figure of another kind. */
  readonly value?: { readonly amount: number; readonly unit: string }
  /** How many times what stands in `against` it is. */
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

/** A target, beside what was measured; `at` is missing where this run did not measure it. */
export interface Judged {
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
  readonly targets: readonly Judged[]
}

export function figureOf({ rounds: _, ...figure }: Measured): Figure {
  return figure
}

export async function machineHere({ postgres }: Bench): Promise<Machine> {
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

/** Says what goes on, with the time since the start. */
export type Tell = (text: string) => void

const inWords: Readonly<Record<number, string>> = {
  1000: '1 thousand',
  100000: '100 thousand',
  1000000: '1 million',
}

export function counted(count: number): string {
  return inWords[count] ?? count.toLocaleString('en')
}
