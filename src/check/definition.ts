import type { CheckContext } from './context.ts'
import type { Passed } from './outcome.ts'
import type { Clause } from './report.ts'

/** A test of one clause of the interface, by requests to the provider. */
export interface Check {
  /** Dotted, starting with the group. It never changes once published. */
  readonly id: string
  readonly title: string
  readonly clause: Clause
  /** Whether the profile `smoke` runs it too. */
  readonly profile?: 'smoke' | undefined
  /** The most likely cause of a failure. */
  readonly hint?: string
  /** Set if the interface leaves a choice: that of Holdfast, which a strict run requires. */
  readonly choice?: Choice
  /** Runs before all checks, for a check that compares two points in time of the run. */
  readonly prepare?: (context: CheckContext) => Promise<unknown>
  /** Throws a `CheckFailure` if it fails or is skipped. */
  readonly run: (context: CheckContext) => Promise<Passed>
}

export interface Choice {
  readonly ofHoldfast: string
  /** The name of the record in docs/decisions. */
  readonly decision: string
}

export function getGroup({ id }: Pick<Check, 'id'>): string {
  return id.slice(0, id.indexOf('.'))
}

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
/** A statement about an extension of the interface. */
export const extension = (reference: string, quote: string) =>
  clause('Decision 67', reference, quote)
/** A rule of refusals, which the interface does not have. */
export const refusal = (reference: string, quote: string) => clause('Decision 65', reference, quote)
export const resources = (reference: string, quote: string) =>
  clause('Resources and their fields', reference, quote)
