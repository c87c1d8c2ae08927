import type { CheckContext } from './context.ts'
import type { Passed } from './outcome.ts'
import type { Clause, Profile } from './report.ts'

/** One sentence of the interface, and how to see from outside whether it is kept. */
export interface Check {
  /** Dotted, the group first. It never changes once published. */
  readonly id: string
  readonly title: string
  readonly clause: Clause
  /** Where it is run: `smoke` in both. */
  readonly profile: Profile
  /** What to look at first where it fails. */
  readonly hint?: string
  /** Runs at the start of the run, for a check that compares two moments of it. */
  readonly prepare?: (world: CheckContext) => Promise<unknown>
  /** Throws a finding where it fails or cannot judge. */
  readonly run: (world: CheckContext) => Promise<Passed>
}

export function groupOf({ id }: Pick<Check, 'id'>): string {
  return id.slice(0, id.indexOf('.'))
}

/** A clause, as `Endpoints, B3` and its words. */
export function clause(section: string, reference: string, quote: string): Clause {
  return { section, reference, quote }
}

export const conventions = (reference: string, quote: string) =>
  clause('Endpoints, Common conventions', reference, quote)
export const endpoint = (reference: string, quote: string) => clause('Endpoints', reference, quote)
export const authentication = (reference: string, quote: string) =>
  clause('Authentication', reference, quote)
export const errorsSection = (reference: string, quote: string) =>
  clause('Errors', reference, quote)
export const resources = (reference: string, quote: string) =>
  clause('Resources and their fields', reference, quote)
