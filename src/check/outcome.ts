import type { HttpResponse } from './http-client.ts'

/** Limits of a failure that combines several. */
const evidenceMax = 4
const sentencesMax = 6

export interface Details {
  readonly expected?: string
  readonly hint?: string
  readonly evidence?: readonly HttpResponse[]
  /** Whether the reason is the same for every target of the check. */
  readonly isGeneral?: boolean
}

/** Ends a check early: it failed, or it is skipped. */
export class CheckFailure extends Error {
  override readonly name = 'CheckFailure'
  readonly judgement: 'fail' | 'skip'
  readonly details: Details

  constructor(judgement: 'fail' | 'skip', reason: string, details: Details = {}) {
    super(reason)
    this.judgement = judgement
    this.details = details
  }
}

export function fail(reason: string, details: Details = {}): never {
  throw new CheckFailure('fail', reason, details)
}

/** A skipped check is not a pass. The reason states what was missing. */
export function skip(reason: string): never {
  throw new CheckFailure('skip', reason)
}

/** Skips a check on all of its targets, because of what the provider leaves out. */
export function skipAll(reason: string): never {
  throw new CheckFailure('skip', reason, { isGeneral: true })
}

/** The result of a check that did not fail. */
export interface Passed {
  readonly seen?: string | undefined
  /** What would be better. It is valid as it is, even in a strict run. */
  readonly remark?: string
  /** Of a check of a choice: whether the provider's choice is that of Holdfast, and otherwise the evidence. */
  readonly isHoldfastChoice?: boolean
  readonly evidence?: readonly HttpResponse[]
}

type Named = string | readonly [string, ...unknown[]] | { readonly ref: string }

/** A target is named by itself, by its first element or by its reference. */
function nameTarget(target: Named): string {
  if (typeof target === 'string') return target
  return 'ref' in target ? target.ref : target[0]
}

/** Runs a check on several targets. It fails if one of them fails, and is skipped if all are skipped. */
export async function checkEach<Target>(
  targets: readonly Target[],
  check: (target: Target) => Promise<unknown>,
  nameOf: (target: Target) => string = (target) => nameTarget(target as Named),
): Promise<Passed> {
  const passed: string[] = []
  const skipped: string[] = []
  const failures: CheckFailure[] = []
  for (const target of targets) {
    try {
      await check(target)
      passed.push(nameOf(target))
    } catch (error) {
      if (!(error instanceof CheckFailure) || error.details.isGeneral) throw error
      if (error.judgement === 'fail') failures.push(error)
      else skipped.push(`${nameOf(target)} (${error.message})`)
    }
  }
  if (failures.length > 0) throw merge(failures)
  if (passed.length === 0) skip(skipped.join('; ') || 'there is nothing to check')
  const rest = skipped.length > 0 ? `; skipped ${skipped.join(', ')}` : ''
  return { seen: `checked ${passed.join(', ')}${rest}` }
}

function merge(failures: readonly CheckFailure[]): CheckFailure {
  const sentences = failures.slice(0, sentencesMax).map(({ message }) => message)
  const more = failures.length - sentences.length
  const [first] = failures
  return new CheckFailure('fail', sentences.join('\n') + (more > 0 ? `\nand ${more} more` : ''), {
    ...first?.details,
    evidence: failures.flatMap(({ details }) => details.evidence ?? []).slice(0, evidenceMax),
  })
}
