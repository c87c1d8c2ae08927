import {
  type ConsentFlowState,
  type FlowStage,
  type FlowStepName,
  flowStepsMax,
} from '../../contract/consent-flows.ts'
import type { ConsentFlowStep } from '../../contract/index.ts'

/** What happened in a consent flow. It has no data of the customer. */
export type FlowEvent = Readonly<Omit<ConsentFlowStep, 'time'>>

export interface FlowStep extends FlowEvent {
  readonly time: Temporal.Instant
}

export interface RecordedFlow {
  readonly id: string
  /** Undefined if the customer signed in to the page with consents. */
  readonly thirdPartyId?: string | undefined
  readonly state: ConsentFlowState
  readonly started: Temporal.Instant
  /** The time of the last step. */
  readonly updated: Temporal.Instant
  readonly consentId?: string | undefined
  /** Oldest first. */
  readonly steps: readonly FlowStep[]
}

export interface FlowQuery {
  readonly state?: ConsentFlowState | undefined
  /** The last one of the previous page. */
  readonly after?: Pick<RecordedFlow, 'id' | 'started'> | undefined
  readonly limit: number
}

/** How many flows ended alike. */
export interface FlowEndCount {
  /** `exchanged`: the third party got tokens for the code. `rejected`: the customer chose to cancel. */
  readonly end: FlowStage | 'rejected' | 'exchanged'
  readonly isOnce: boolean
  readonly count: number
}

/** Flows are purged some days after their start, by those that are added. */
export interface FlowStore {
  /** Does nothing if the id exists. `isOnce`: the third party asks for data once. */
  add(
    id: string,
    thirdPartyId: string | undefined,
    first: FlowStep,
    isOnce?: boolean,
  ): Promise<void>
  /** Does nothing if the flow is unknown or has `flowStepsMax` steps. `consentId` is the consent that it led to. */
  append(id: string, step: FlowStep, consentId?: string): Promise<void>
  /** Appends to the flow that led to a consent. */
  appendToConsent(consentId: string, step: FlowStep): Promise<void>
  /** How the flows ended that began in a period. Those that can still lead to a consent are not counted. */
  countEnds(
    period: { readonly from: Temporal.Instant; readonly until: Temporal.Instant },
    now: Temporal.Instant,
    thirdPartyId?: string,
  ): Promise<readonly FlowEndCount[]>
  /** The latest start first. */
  list(query: FlowQuery, now: Temporal.Instant): Promise<readonly RecordedFlow[]>
}

/** The state of a flow after its last step, until it is abandoned. */
export function stateAfter({ step, outcome }: FlowEvent): Exclude<ConsentFlowState, 'abandoned'> {
  if (outcome !== 'succeeded') return outcome
  return isEnd(step) ? 'completed' : 'in_progress'
}

function isEnd(step: FlowStepName): boolean {
  return step === 'redirect' || step === 'token' || step === 'consents'
}

/** How many steps a flow may have before this one: the last steps of a long flow are recorded too. */
export function stepCountMax({ step, outcome }: FlowEvent): number {
  const isLast = isEnd(step) || outcome === 'cancelled'
  return isLast ? flowStepsMax : flowStepsMax - 3
}

/** A page of a flow that has ended is not a failure: browsers go back. */
export function requiresOpenFlow({ step }: FlowEvent): boolean {
  return step === 'page'
}
