import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import type { FlowReason } from '../../contract/consent-flows.ts'
import type { ReadCustomerAccounts, ShownAccount } from './account-details.ts'
import type { AccountObserver } from './account-observer.ts'
import { readAmendedId } from './amendments.ts'
import type { FlowRecords } from './flow-records.ts'
import type { FlowEvent } from './flow-store.ts'
import type { PageRequest, PageResponse } from './page-exchange.ts'
import type { Brand } from './pages/layout.ts'
import type { ShownPasscode } from './pages/sign-in.ts'
import type { Asked } from './pages/steps.ts'
import type { OverLimit } from './passcode-budgets.ts'
import { readSharingDuration } from './request-claims.ts'
import type { SealedStates } from './sealed-states.ts'
import { endOfSharing } from './sharing-duration.ts'
import type { SignInOptions } from './sign-in.ts'
import type { ConsentStore } from './store.ts'

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
  readonly accounts?: readonly ShownAccount[]
  /** When the oldest of them was opened, if the provider says so for each. */
  readonly historyFrom?: string | undefined
  /** Accounts that an amendment keeps: the customer cannot choose them, because the provider does not list them now. */
  readonly keptAccountIds?: readonly string[]
}

/** A request to the page of a flow. */
export interface FlowRequest extends PageRequest {
  readonly uid: string
  readonly raw: IncomingMessage
  readonly response: ServerResponse
}

export interface FlowResponse extends PageResponse {
  /** What the customer's action led to. */
  readonly decision?: Decision
}

/** For the record of the flow. The step is that of the page, if none is named. */
export interface Decision extends Pick<FlowEvent, 'outcome' | 'reason' | 'detail'> {
  readonly step?: FlowEvent['step']
  /** The step after it that this flow does not need, which therefore counts as passed. */
  readonly skipped?: FlowEvent
}

export const succeeded: Decision = { outcome: 'succeeded' }

export function fail(reason: FlowReason, over?: OverLimit): Decision {
  return { outcome: 'failed', reason, ...(over && { detail: `over the limit ${over.limit}` }) }
}

export const refused = fail('sharing_refused')

export interface FlowOptions extends SignInOptions {
  readonly store: ConsentStore
  readonly flows: SealedStates<FlowState>
  readonly flowRecords: FlowRecords
  readonly readCustomerAccounts: ReadCustomerAccounts
  readonly observer: AccountObserver
  readonly readProvider: () => Promise<Provider>
  readonly brand: Brand
  readonly clock: () => Temporal.Instant
  /** Where a customer can withdraw a consent. */
  readonly consentsUrl: string
  /** In a demonstration, what the page shows of the passcode for an address. */
  readonly showPasscode?: ((email: string) => ShownPasscode) | undefined
}

/** The flow of one request: its state, and what the third party asks for. */
export interface FlowContext extends FlowOptions {
  readonly request: FlowRequest
  readonly provider: Provider
  readonly secret: string
  readonly state: FlowState
  readonly asked: Asked
  readonly thirdPartyId: string
  /** Of a request that several browsers may open until a customer signs in. */
  readonly requestKey: string | undefined
  /** The arrangement that the customer confirmed before, if the answer to that was lost. */
  readonly confirmedId: string | undefined
  /** The arrangement that the customer is asked to amend. */
  readonly amendedId: string | undefined
  readonly seconds: number
  readonly formTarget: string
}

/** Finds the flow of a request, or starts one. Undefined if the request belongs to another flow or third party. */
export async function openFlowContext(
  options: FlowOptions,
  request: FlowRequest,
): Promise<FlowContext | undefined> {
  const { store, flows, clock, readProvider } = options
  const provider = await readProvider()
  const { params, prompt, uid, result } = await provider.interactionDetails(
    request.raw,
    request.response,
  )
  if (uid !== request.uid) return undefined
  const thirdPartyId = String(params['client_id'])
  const thirdParty = await store.thirdParties.find(thirdPartyId)
  if (!thirdParty) return undefined
  const seconds = readSharingDuration(params) ?? 0
  const amendedId = readAmendedId(params)
  return {
    ...options,
    ...((await findFlow(flows, request)) ?? (await startFlow(flows, uid))),
    request,
    provider,
    thirdPartyId,
    requestKey: prompt.details['requestKey'] as string | undefined,
    confirmedId: result?.consent?.grantId,
    seconds,
    formTarget: new URL(String(params['redirect_uri'])).origin,
    amendedId,
    asked: {
      thirdParty: thirdParty.name,
      isAmendment: amendedId !== undefined,
      scopes: String(params['scope'] ?? '').split(' '),
      until: seconds === 0 ? undefined : endOfSharing(seconds, clock()),
    },
  }
}

/** The flow of the cookie, unless it is that of another page. */
export async function findFlow(
  flows: SealedStates<FlowState>,
  { secret, uid }: Pick<FlowRequest, 'secret' | 'uid'>,
) {
  const state = secret ? await flows.read(secret) : undefined
  return secret && state?.uid === uid ? { secret, state } : undefined
}

async function startFlow(flows: SealedStates<FlowState>, uid: string) {
  const state: FlowState = { uid, arrangementId: randomUUID(), step: 'identify' }
  return { secret: await flows.create(state), state }
}

/** To the page itself, which then shows the present step. */
export function redirectToFlow(secret: string): FlowResponse {
  return { status: 303, location: '', secret }
}
