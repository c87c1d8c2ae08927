/** The results of a run as plain data. All report formats are generated from it. */
export interface Report {
  readonly target: string
  readonly subdomain: string
  readonly startedAt: string
  readonly seconds: number
  readonly profile: Profile
  /** Whether the run required the choices of Holdfast where the interface leaves a choice. */
  readonly strict: boolean
  /** What the provider leaves out intentionally, as given in the options. */
  readonly capabilities: readonly string[]
  /** The number of requests that were sent. */
  readonly requests: number
  readonly results: readonly CheckResult[]
  /** Why no other check than that of a valid token could run. */
  readonly obstacle?: string
}

export const profiles = ['smoke', 'full'] as const
export type Profile = (typeof profiles)[number]

export type Judgement = 'pass' | 'fail' | 'skip'

/** The clause that a check tests: its place in the interface, and its text. */
export interface Clause {
  readonly section: string
  /** The reference of the endpoint, or the number of the rule in its section. */
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
  /** What was observed: the choice, if the interface leaves one, or what the result is based on. */
  readonly seen?: string
  /** What would be better, of a check that passed. */
  readonly remark?: string
  readonly expected?: string
  readonly hint?: string
  /** Requests and responses. Only for failures. */
  readonly evidence: readonly Exchange[]
}

/** One request and its response: without tokens, and truncated. */
export interface Exchange {
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
  }
  /** Absent if there was none. */
  readonly response?: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
  /** Why there was no response. */
  readonly error?: string
}

export type Counts = Readonly<Record<Judgement, number>>

export function countResults({ results }: Pick<Report, 'results'>): Counts {
  const count = (judgement: Judgement) =>
    results.filter((result) => result.judgement === judgement).length
  return { pass: count('pass'), fail: count('fail'), skip: count('skip') }
}
