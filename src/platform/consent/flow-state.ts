import { randomUUID } from 'node:crypto'
import { flowSeconds } from '../../contract/consent-flows.ts'
import type { ShareableAccount } from '../../contract/index.ts'
import { openSealedStates, type SealedStates } from './sealed-states.ts'
import type { ArtifactStore } from './store.ts'

/** Where a customer is in a consent flow. */
export interface FlowState {
  /** The interaction of the OpenID provider that it belongs to. */
  readonly uid: string
  /** Of the arrangement that the flow may end with. Each choice of accounts has its own, so that confirming it twice makes one arrangement. */
  readonly arrangementId: string
  readonly step: 'identify' | 'passcode' | 'accounts' | 'confirm'
  readonly email?: string
  /** Milliseconds since 1970. */
  readonly passcodeExpires?: number
  /** The authenticated customer. */
  readonly customerId?: string
  /** The accounts that the customer chose, as the page showed them. */
  readonly accounts?: readonly ShareableAccount[]
}

/** The states of consent flows. */
export interface Flows
  extends Pick<SealedStates<FlowState>, 'save' | 'create' | 'rotate' | 'remove'> {
  read(secret: string, uid: string): Promise<FlowState | undefined>
  /** Returns the secret. */
  start(uid: string): Promise<{ readonly secret: string; readonly state: FlowState }>
}

export function openFlows(artifacts: ArtifactStore, clock: () => Temporal.Instant): Flows {
  const states = openSealedStates<FlowState>(artifacts, clock, 'Flow', flowSeconds)
  return {
    save: states.save,
    create: states.create,
    rotate: states.rotate,
    remove: states.remove,
    async read(secret, uid) {
      const state = await states.read(secret)
      return state?.uid === uid ? state : undefined
    },
    async start(uid) {
      const state: FlowState = { uid, arrangementId: randomUUID(), step: 'identify' }
      return { secret: await states.create(state), state }
    },
  }
}
