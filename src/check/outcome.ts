import type { Answer } from './http-client.ts'

/** How many exchanges a failure shows, and how many sentences it has. */
const evidenceMax = 4
const sentencesMax = 6

export interface Details {
  readonly expected?: string
  readonly hint?: string
  readonly evidence?: readonly Answer[]
}

/** What ends a check early: it failed, or it could not judge. */
export class CheckFailure extends Error {
  override readonly name = 'Finding'
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

/** A skip is never a pass: it says what was missing to judge. */
export function skip(reason: string): never {
  throw new CheckFailure('skip', reason)
}

/** What a check that did not fail has to say. */
export interface Passed {
  readonly seen?: string
  /** The interface leaves the choice: this is what Holdfast chose, which a strict run asks for. */
  readonly choice?: Choice
}

export interface Choice {
  readonly seen: string
  readonly isOurs: boolean
  readonly ours: string
  /** The record in docs/decisions. */
  readonly decision: string
  readonly evidence?: readonly Answer[]
}

/** Judges the same of several things: one that fails is enough to fail, one that is judged to judge. */
export async function judgeEach<Target>(
  targets: readonly Target[],
  nameOf: (target: Target) => string,
  judge: (target: Target) => Promise<unknown>,
): Promise<Passed> {
  const judged: string[] = []
  const skipped: string[] = []
  const failures: CheckFailure[] = []
  for (const target of targets) {
    try {
      await judge(target)
      judged.push(nameOf(target))
    } catch (error) {
      if (!(error instanceof CheckFailure)) throw error
      if (error.judgement === 'fail') failures.push(error)
      else skipped.push(`${nameOf(target)} (${error.message})`)
    }
  }
  if (failures.length > 0) throw merged(failures)
  if (judged.length === 0) skip(skipped.join('; ') || 'there is nothing to judge it on')
  const rest = skipped.length > 0 ? `; not on ${skipped.join(', ')}` : ''
  return { seen: `judged on ${judged.join(', ')}${rest}` }
}

function merged(failures: readonly CheckFailure[]): CheckFailure {
  const sentences = failures.slice(0, sentencesMax).map(({ message }) => message)
  const more = failures.length - sentences.length
  const [first] = failures
  return new CheckFailure('fail', sentences.join('\n') + (more > 0 ? `\nand ${more} more` : ''), {
    ...first?.details,
    evidence: failures.flatMap(({ details }) => details.evidence ?? []).slice(0, evidenceMax),
  })
}
