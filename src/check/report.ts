/** What a run found out, as plain data: every kind of report is made from it. */
export interface Report {
  readonly target: string
  readonly subdomain: string
  readonly startedAt: string
  readonly seconds: number
  readonly profile: Profile
  /** Whether the provider was also held to what Holdfast decided where the interface leaves a choice. */
  readonly strict: boolean
  /** What the provider leaves out on purpose, as it was told. */
  readonly capabilities: readonly string[]
  /** How many requests were sent. */
  readonly requests: number
  readonly results: readonly CheckResult[]
}

export const profiles = ['smoke', 'full'] as const
export type Profile = (typeof profiles)[number]

export type Judgement = 'pass' | 'fail' | 'skip'

/** The sentence that a check judges by: where it stands in the interface, and its words. */
export interface Clause {
  readonly section: string
  /** Of the endpoint, or the number of the rule in its section. */
  readonly reference: string
  readonly quote: string
}

export interface CheckResult {
  readonly id: string
  readonly group: string
  readonly title: string
  readonly clause: Clause
  readonly judgement: Judgement
  /** Why it failed or was skipped. */
  readonly reason?: string
  /** What was found where the interface leaves a choice, or what the judgement rests on. */
  readonly seen?: string
  readonly expected?: string
  readonly hint?: string
  /** What was sent and what came back. Only of failures: the rest is not kept. */
  readonly evidence: readonly Exchange[]
}

/** One request and its answer, fit to be shown: without the token, and cut. */
export interface Exchange {
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
  }
  /** Absent where none came. */
  readonly response?: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
  /** What went wrong on the way. */
  readonly error?: string
}

export interface Counts {
  readonly pass: number
  readonly fail: number
  readonly skip: number
}

export function countsOf({ results }: Pick<Report, 'results'>): Counts {
  const count = (judgement: Judgement) =>
    results.filter((result) => result.judgement === judgement).length
  return { pass: count('pass'), fail: count('fail'), skip: count('skip') }
}
