import { isCapability } from './capabilities.ts'
import { type CheckContext, type ContextOptions, openContext } from './context.ts'
import { checkDefaults } from './defaults.ts'
import { type Check, type Choice, getGroup } from './definition.ts'
import { findUnserved } from './extensions.ts'
import { openHttpClient } from './http-client.ts'
import { CheckFailure, fail, type Passed, skip } from './outcome.ts'
import { redact } from './redact.ts'
import type { CheckResult, Profile, Report } from './report.ts'
import { establishKey } from './sample-request.ts'
import { suite } from './suite.ts'
import type { TestKeys } from './test-keys.ts'

export interface CheckOptions extends Partial<Omit<ContextOptions, 'providerUrl' | 'subdomain'>> {
  /** The provider's public base URL, exactly as the provider has it configured: it is part of every token. */
  readonly url: string
  readonly subdomain: string
  readonly testKeys: TestKeys
  readonly profile?: Profile
  /** Ids or groups of checks to run, and to leave out. */
  readonly only?: readonly string[]
  readonly skip?: readonly string[]
  /** Requires the choices of Holdfast where the interface leaves a choice. */
  readonly strict?: boolean
  /** Requests per second; 0 for no limit. */
  readonly rate?: number
  readonly timeoutMs?: number
  /** How long to wait until the provider has fetched the keys. */
  readonly keyWaitMs?: number
  /** Called if it waits. */
  readonly onKeyWait?: () => void
  /** Called before each check. */
  readonly onStart?: (start: Start) => void
  readonly onProgress?: (progress: Progress) => void
}

export interface Start {
  readonly total: number
  /** Of the check that is about to run. */
  readonly title: string
}

export interface Progress {
  readonly done: number
  readonly total: number
  readonly result: CheckResult
}

const evidenceMax = 4

/** Tests a provider in the role of the platform, clause by clause. It only reads data. */
export async function checkProvider(options: CheckOptions): Promise<Report> {
  const { url, strict = false, onStart = () => {}, onProgress = () => {} } = options
  const checks = chooseChecks(options)
  const { customers = [], emails = [], capabilities = [], parameters = {} } = options
  const given = { ...checkDefaults, ...options, customers, emails, capabilities, parameters }
  const { rate, timeoutMs, keyWaitMs, profile, subdomain } = given
  const client = openHttpClient(rate, timeoutMs)
  const toBase = (base = url) => base.replace(/\/+$/, '')
  const context = openContext(
    {
      ...given,
      providerUrl: toBase(),
      resourceUrl: toBase(options.resourceUrl),
      consentUrl: toBase(options.consentUrl),
    },
    options.testKeys,
    client,
  )
  const startedAt = new Date()
  try {
    const results: CheckResult[] = []
    const obstacle = await tryToEstablishKey(context, keyWaitMs, options.onKeyWait)
    if (obstacle === undefined) {
      context.unserved = await findUnserved(context)
      for (const check of checks) await check.prepare?.(context)
    }
    for (const check of checks) {
      onStart({ total: checks.length, title: check.title })
      const canRun = obstacle === undefined || check.id === 'tokens.good'
      const result = await runCheck(check, context, strict, canRun)
      results.push(result)
      onProgress({ done: results.length, total: checks.length, result })
    }
    return {
      target: toBase(),
      subdomain,
      startedAt: startedAt.toISOString(),
      seconds: Math.round((Date.now() - startedAt.getTime()) / 100) / 10,
      profile,
      strict,
      capabilities,
      requests: client.count(),
      results,
      ...(obstacle !== undefined && { obstacle }),
    }
  } finally {
    client.close()
  }
}

/** The errors in the names of checks, groups and capabilities, as sentences. */
export function findChoiceErrors({
  only = [],
  skip = [],
  capabilities = [],
}: Pick<CheckOptions, 'only' | 'skip'> & { readonly capabilities?: readonly string[] }): string[] {
  const names = new Set(suite.flatMap((check) => [check.id, getGroup(check)]))
  return [
    ...[...only, ...skip]
      .filter((name) => !names.has(name))
      .map((name) => `unknown check or group ${name}`),
    ...capabilities
      .filter((name) => !isCapability(name))
      .map((name) => `unknown capability ${name}`),
  ]
}

function chooseChecks(options: CheckOptions): Check[] {
  const {
    only = [],
    skip = [],
    profile = checkDefaults.profile,
    customers = [],
    emails = [],
  } = options
  const problems = findChoiceErrors(options)
  if (customers.length + emails.length === 0)
    problems.push('at least one customer or e-mail address is required')
  if (problems.length > 0) throw new TypeError(problems.join('; '))
  const isNamed = (names: readonly string[], check: Check) =>
    names.includes(check.id) || names.includes(getGroup(check))
  return suite.filter(
    (check) =>
      (profile === 'full' || check.profile === 'smoke') &&
      (only.length === 0 || isNamed(only, check)) &&
      !isNamed(skip, check),
  )
}

/** Without an accepted token, no other check can run. Returns the reason if no token is accepted. */
async function tryToEstablishKey(
  context: CheckContext,
  keyWaitMs: number,
  onKeyWait: (() => void) | undefined,
): Promise<string | undefined> {
  try {
    await context.once('key', () => establishKey(context, keyWaitMs, onKeyWait))
    return undefined
  } catch (error) {
    if (error instanceof CheckFailure) return redact(error.message)
    throw error
  }
}

async function runCheck(
  check: Check,
  context: CheckContext,
  strict: boolean,
  canRun: boolean,
): Promise<CheckResult> {
  const { id, title, clause, choice } = check
  let seen: string | undefined
  const describe = () => ({
    id,
    group: getGroup(check),
    title,
    clause,
    ...(seen !== undefined && { seen: redact(seen) }),
  })
  try {
    if (!canRun) skip('the first request did not succeed: see tokens.good')
    const passed = await check.run(context)
    seen = passed.seen
    if (strict && choice && passed.isHoldfastChoice === false) failStrictly(choice, passed)
    const { remark } = passed
    return { ...describe(), judgement: 'pass', ...(remark && { remark }), evidence: [] }
  } catch (error) {
    if (!(error instanceof CheckFailure)) throw error
    const { judgement, message, details } = error
    const result = { ...describe(), judgement, reason: redact(message), evidence: [] }
    if (judgement === 'skip') return result
    const { expected, hint = check.hint, evidence = [] } = details
    return {
      ...result,
      ...(expected !== undefined && { expected }),
      ...(hint !== undefined && { hint }),
      evidence: evidence.slice(0, evidenceMax).map(({ exchange }) => exchange()),
    }
  }
}

function failStrictly({ ofHoldfast, decision }: Choice, { seen, evidence = [] }: Passed): never {
  return fail(`valid, but not the choice of Holdfast: ${seen}`, {
    expected: `${ofHoldfast} (docs/decisions/${decision}.md)`,
    hint: 'This check fails because the run is strict. The interface allows this choice.',
    evidence,
  })
}
