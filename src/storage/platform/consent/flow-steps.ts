import { type ConsentFlowState, flowDays, flowSeconds } from '../../../contract/consent-flows.ts'
import type { FlowQuery, FlowStep, RecordedFlow } from '../../../platform/consent/flow-store.ts'

export const flowRetentionMs = flowDays * 24 * 3_600_000

/** Between the texts of steps, which are JSON and do not contain it. */
export const stepSeparator = '\n'

export function writeStep({ time, step, outcome, reason, detail }: FlowStep): string {
  return JSON.stringify([time.epochMilliseconds, step, outcome, reason, detail])
}

/** In the order of time: several processes may record the steps of a flow. */
export function readSteps(text: string): FlowStep[] {
  const steps = text.split(stepSeparator).map((line) => {
    const [time, step, outcome, reason, detail] = JSON.parse(line)
    return {
      time: Temporal.Instant.fromEpochMilliseconds(time),
      step,
      outcome,
      ...(reason != null && { reason }),
      ...(detail != null && { detail }),
    } satisfies FlowStep
  })
  return steps.sort((a, b) => Temporal.Instant.compare(a.time, b.time))
}

interface Position {
  readonly started: number
  readonly id: string
}

/** The stored state of a list, and the positions that it is between, exclusive. An abandoned flow is stored as in progress. */
export function boundFlows(
  { state, after }: FlowQuery,
  now: number,
): {
  readonly state: ConsentFlowState | undefined
  readonly start: Position
  readonly end: Position
} {
  const abandonedAt = now - flowSeconds * 1000
  const oldest = state === 'in_progress' ? abandonedAt : now - flowRetentionMs
  const newest = state === 'abandoned' ? abandonedAt : Number.MAX_SAFE_INTEGER - 1
  const last = after?.started.epochMilliseconds ?? Number.POSITIVE_INFINITY
  return {
    state: state === 'abandoned' ? 'in_progress' : state,
    start: { started: oldest + 1, id: '' },
    end: last <= newest ? { started: last, id: after?.id ?? '' } : { started: newest + 1, id: '' },
  }
}

/** Whether a flow that did not end can no longer go on. */
export function toState(
  state: ConsentFlowState,
  started: number,
  now: number,
): RecordedFlow['state'] {
  return state === 'in_progress' && started <= now - flowSeconds * 1000 ? 'abandoned' : state
}
