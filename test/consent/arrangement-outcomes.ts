import { type Action, type Outcome, type State, type Step, stepsOf } from './arrangement-model.ts'

export const unavailable = 'unavailable'

export interface Result {
  readonly state: State
  readonly outcome: Outcome
}

/** An action that nothing disturbs. */
export function apply(given: State, action: Action): Result {
  const state = structuredClone(given)
  for (const step of stepsOf(action)) {
    const outcome = step(state)
    if (outcome !== undefined) return { state, outcome }
  }
  throw new Error('the last step has an outcome')
}

/** Actions that may have succeeded although the answer says that the service is unavailable. All others can then be repeated. */
const mayBeInDoubt: readonly Action['type'][] = [
  'sign in',
  'cancel',
  'revoke',
  'stop',
  'end',
  'withdraw',
  'remove',
]

/** An action during an outage: it succeeds, or fails after any of its steps. */
export function applyInOutage(given: State, action: Action): readonly Result[] {
  const done = apply(given, action)
  const results = [done, { state: given, outcome: unavailable }, ...inDoubt(done, action)]
  const state = structuredClone(given)
  const all = stepsOf(action)
  for (const step of mayBeInDoubt.includes(action.type) ? all : all.slice(0, -1)) {
    const outcome = step(state)
    results.push({ state: structuredClone(state), outcome: unavailable })
    if (outcome !== undefined) break
  }
  return results
}

/**
 * If the answer to the use of a code or a request is lost, the action succeeds: the use may have been stored or not. An
 * error would make the repetition a second use.
 */
function inDoubt({ state: given, outcome }: Result, action: Action): readonly Result[] {
  const state = structuredClone(given)
  const used = action.type === 'exchange' ? state.flows[action.flow]?.code : undefined
  const opened = action.type === 'open' ? state.requests[action.request] : undefined
  if (used && outcome.startsWith('tokens')) used.isUsed = false
  if (opened && outcome === 'opened') opened.isOpened = false
  return [{ state, outcome }]
}

interface RaceResult {
  readonly state: State
  readonly outcomes: readonly [Outcome, Outcome]
}

/** Two actions at once: their steps in any order. */
export function race(given: State, first: Action, second: Action): readonly RaceResult[] {
  const results: RaceResult[] = []
  const go = (
    state: State,
    left: readonly [readonly Step[], readonly Step[]],
    outcomes: readonly [Outcome | undefined, Outcome | undefined],
  ): void => {
    if (outcomes[0] !== undefined && outcomes[1] !== undefined) {
      results.push({ state, outcomes: [outcomes[0], outcomes[1]] })
      return
    }
    for (const side of [0, 1] as const) {
      const [step, ...rest] = left[side]
      if (!step || outcomes[side] !== undefined) continue
      const next = structuredClone(state)
      const outcome = step(next)
      go(
        next,
        side === 0 ? [rest, left[1]] : [left[0], rest],
        side === 0 ? [outcome, outcomes[1]] : [outcomes[0], outcome],
      )
    }
  }
  go(given, [stepsOf(first), stepsOf(second)], [undefined, undefined])
  if (!amendsTwice(given, first, second)) return results
  const [one, other] = [apply(given, first), apply(given, second)]
  return [
    ...results,
    { state: one.state, outcomes: [one.outcome, unavailable] },
    { state: other.state, outcomes: [unavailable, other.outcome] },
  ]
}

/** Whether both exchange a code that amends an arrangement: while one does, the other is asked to try again. */
function amendsTwice({ flows, requests }: State, first: Action, second: Action): boolean {
  if (first.type !== 'exchange' || second.type !== 'exchange') return false
  const { request = '' } = flows[first.flow] ?? {}
  return first.flow === second.flow && requests[request]?.amended !== undefined
}
