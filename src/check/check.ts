import { type Capability, isCapability } from './capabilities.ts'
import { type CheckContext, openContext } from './context.ts'
import { checkDefaults } from './defaults.ts'
import { type Check, groupOf } from './definition.ts'
import { openHttpClient } from './http-client.ts'
import { CheckFailure, type Choice, type Passed } from './outcome.ts'
import type { ParameterNames } from './parameters.ts'
import { establishKey } from './probe.ts'
import { shown } from './redact.ts'
import type { CheckResult, Profile, Report } from './report.ts'
import { suite } from './suite.ts'
import type { TestKeys } from './test-keys.ts'

export interface CheckOptions {
  /** The provider's public base address, exactly as the provider has it: it is part of every token. */
  readonly url: string
  /** Of the contact endpoint, and of the consent flow, where they are others. */
  readonly resourceUrl?: string
  readonly consentUrl?: string
  readonly subdomain: string
  readonly testKeys: TestKeys
  /** Who to look at, by id or by e-mail address: at least one. Two show whether customers are kept apart. */
  readonly customers?: readonly string[]
  readonly emails?: readonly string[]
  readonly capabilities?: readonly Capability[]
  readonly parameters?: ParameterNames
  readonly timeZone?: string
  readonly profile?: Profile
  /** Ids or groups of checks. */
  readonly only?: readonly string[]
  readonly skip?: readonly string[]
  /** Also asks for what Holdfast decided where the interface leaves a choice. */
  readonly strict?: boolean
  /** Requests a second; 0 for as many as it takes. */
  readonly rate?: number
  readonly timeoutMs?: number
  /** How long to wait for the provider to fetch the keys. */
  readonly keyWaitMs?: number
  /** The shortest time between the two uses of a token that is replayed at the end of the run. */
  readonly replayAfterMs?: number
  readonly onProgress?: (progress: Progress) => void
}

export interface Progress {
  readonly done: number
  readonly total: number
  readonly result: CheckResult
}

const evidenceMax = 4

/** Plays the platform against a provider, and says of every clause whether it is kept. Reads alone: nothing is written. */
export async function checkProvider(options: CheckOptions): Promise<Report> {
  const {
    url,
    subdomain,
    testKeys,
    capabilities = [],
    strict = false,
    onProgress = () => {},
  } = options
  const { rate, timeoutMs, keyWaitMs, replayAfterMs, profile, timeZone } = {
    ...checkDefaults,
    ...options,
  }
  const checks = chosen(options)
  const base = url.replace(/\/+$/, '')
  const wire = openHttpClient({ rate, timeoutMs })
  const world = openContext(
    {
      providerUrl: base,
      resourceUrl: (options.resourceUrl ?? base).replace(/\/+$/, ''),
      consentUrl: (options.consentUrl ?? base).replace(/\/+$/, ''),
      subdomain,
      customers: options.customers ?? [],
      emails: options.emails ?? [],
      capabilities,
      parameters: options.parameters ?? {},
      timeZone,
      replayAfterMs,
    },
    testKeys,
    wire,
  )
  const startedAt = new Date()
  try {
    const results: CheckResult[] = []
    const refusal = await refusalToSignIn(world, keyWaitMs)
    if (!refusal) for (const check of checks) await check.prepare?.(world)
    for (const check of checks) {
      const isFirst = check.id === 'tokens.good'
      const result = refusal && !isFirst ? unsigned(check) : await judged(check, world, strict)
      results.push(result)
      onProgress({ done: results.length, total: checks.length, result })
    }
    return {
      target: base,
      subdomain,
      startedAt: startedAt.toISOString(),
      seconds: Math.round((Date.now() - startedAt.getTime()) / 100) / 10,
      profile,
      strict,
      capabilities,
      requests: wire.count(),
      results,
    }
  } finally {
    wire.close()
  }
}

/** What is wrong with the choice of checks, as sentences; empty where nothing is. */
export function choiceProblems({
  only = [],
  skip = [],
  capabilities = [],
}: Pick<CheckOptions, 'only' | 'skip'> & { readonly capabilities?: readonly string[] }): string[] {
  const names = new Set(suite.flatMap((check) => [check.id, groupOf(check)]))
  return [
    ...[...only, ...skip]
      .filter((name) => !names.has(name))
      .map((name) => `there is no check or group ${name}`),
    ...capabilities
      .filter((name) => !isCapability(name))
      .map((name) => `there is no capability ${name}`),
  ]
}

function chosen(options: CheckOptions): Check[] {
  const {
    only = [],
    skip = [],
    profile = checkDefaults.profile,
    customers = [],
    emails = [],
  } = options
  const problems = choiceProblems(options)
  if (customers.length + emails.length === 0)
    problems.push('at least one customer or e-mail address must be named')
  if (problems.length > 0) throw new TypeError(problems.join('; '))
  const isNamed = (names: readonly string[], check: Check) =>
    names.includes(check.id) || names.includes(groupOf(check))
  return suite.filter(
    (check) =>
      (profile === 'full' || check.profile === 'smoke') &&
      (only.length === 0 || isNamed(only, check)) &&
      !isNamed(skip, check),
  )
}

/** Without a token that is taken, nothing can be judged. */
async function refusalToSignIn(world: CheckContext, keyWaitMs: number): Promise<boolean> {
  try {
    await world.once('sign in', () => establishKey(world, keyWaitMs))
    return false
  } catch (error) {
    if (error instanceof CheckFailure) return true
    throw error
  }
}

function unsigned(check: Check): CheckResult {
  return {
    ...headOf(check),
    judgement: 'skip',
    reason: 'no token was accepted: see tokens.good',
    evidence: [],
  }
}

async function judged(check: Check, world: CheckContext, strict: boolean): Promise<CheckResult> {
  const head = headOf(check)
  try {
    return { ...head, ...verdictOf(await check.run(world), strict) }
  } catch (error) {
    if (!(error instanceof CheckFailure)) throw error
    const { expected, hint = check.hint, evidence = [] } = error.details
    return {
      ...head,
      judgement: error.judgement,
      reason: shown(error.message),
      ...(error.judgement === 'fail' && {
        ...(expected !== undefined && { expected }),
        ...(hint !== undefined && { hint }),
      }),
      evidence:
        error.judgement === 'fail'
          ? evidence.slice(0, evidenceMax).map(({ exchange }) => exchange())
          : [],
    }
  }
}

function headOf(check: Check): Pick<CheckResult, 'id' | 'group' | 'title' | 'clause'> {
  return { id: check.id, group: groupOf(check), title: check.title, clause: check.clause }
}

function verdictOf(
  { seen, choice }: Passed,
  strict: boolean,
): Omit<CheckResult, 'id' | 'group' | 'title' | 'clause'> {
  const said = choice?.seen ?? seen
  if (choice && strict && !choice.isOurs) return departure(choice)
  return { judgement: 'pass', ...(said !== undefined && { seen: shown(said) }), evidence: [] }
}

function departure({
  seen,
  ours,
  decision,
  evidence = [],
}: Choice): Omit<CheckResult, 'id' | 'group' | 'title' | 'clause'> {
  return {
    judgement: 'fail',
    reason: `valid, but not what Holdfast does: ${shown(seen)}`,
    seen: shown(seen),
    expected: `${ours} (docs/decisions/${decision}.md)`,
    hint: 'This fails because the run is strict. The interface leaves the choice.',
    evidence: evidence.slice(0, evidenceMax).map(({ exchange }) => exchange()),
  }
}
