import { randomUUID } from 'node:crypto'
import { digest } from '../../auth/secrets.ts'
import { openTokenBuckets } from '../../auth/token-bucket.ts'
import { openBackgroundWrites } from './background-writes.ts'
import type { FlowEvent, FlowStep, FlowStore } from './flow-store.ts'

/** Rejected requests of a third party beyond these are not recorded. */
const rejectedMax = 20
const rejectedRefillSeconds = 60
const thirdPartiesMax = 1000

/** Sign-ins to the page with consents beyond these are not recorded: anyone can begin one. */
const signInsMax = 300
const signInRefillSeconds = 1
const allSignIns = ''

const detailLengthMax = 300

export type FlowRecords = ReturnType<typeof openFlowRecords>

/**
 * Records what happens in consent flows. No method waits for the database or throws: a failure to record does not affect
 * the flow.
 */
export function openFlowRecords(
  store: FlowStore,
  clock: () => Temporal.Instant,
  onError: (error: Error) => void,
) {
  const rejected = openTokenBuckets(rejectedMax, rejectedRefillSeconds, thirdPartiesMax)
  const signIns = openTokenBuckets(signInsMax, signInRefillSeconds, 1)
  const begin = openBackgroundWrites(onError, 'a step of a consent flow could not be recorded')

  const toStep = ({ detail: given = '', ...rest }: FlowEvent): FlowStep => {
    const detail = given.replaceAll(/\p{C}/gu, ' ').slice(0, detailLengthMax)
    return { time: clock(), ...rest, ...(detail && { detail }) }
  }
  const record = (event: FlowEvent, write: (step: FlowStep) => Promise<void>): void => {
    const step = toStep(event)
    begin(() => write(step))
  }

  return {
    /** The customer arrived with a valid request. */
    start: (uid: string, thirdPartyId: string, isOnce: boolean) =>
      record({ step: 'request', outcome: 'succeeded' }, (step) =>
        store.add(toFlowId(uid), thirdPartyId, step, isOnce),
      ),
    /** A request of a third party was rejected before a flow began. */
    reject(thirdPartyId: string, event: FlowEvent): void {
      if (rejected.retryAfter(thirdPartyId) > 0) return
      rejected.take(thirdPartyId)
      record(event, (step) => store.add(randomUUID(), thirdPartyId, step))
    },
    /** A customer signs in to the page with consents, in the browser with the secret. */
    signIn(secret: string, events: readonly FlowEvent[], isFirst: boolean): void {
      if (isFirst && signIns.retryAfter(allSignIns) > 0) return
      if (isFirst) signIns.take(allSignIns)
      const id = toFlowId(`sign-in flow ${secret}`)
      const opened = toStep({ step: 'page', outcome: 'succeeded' })
      const steps = events.map(toStep)
      begin(async () => {
        if (isFirst) await store.add(id, undefined, opened)
        for (const step of steps) await store.append(id, step)
      })
    },
    append(uid: string, events: readonly FlowEvent[], consentId?: string): void {
      const steps = events.map(toStep)
      begin(async () => {
        for (const step of steps) await store.append(toFlowId(uid), step, consentId)
      })
    },
    appendToConsent: (consentId: string, event: FlowEvent) =>
      record(event, (step) => store.appendToConsent(consentId, step)),
  }
}

/** The id of an interaction is part of the address of its pages, and is not stored. */
function toFlowId(uid: string): string {
  return digest(uid).slice(0, 22)
}
