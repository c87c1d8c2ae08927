import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import type { FlowReason } from '../../contract/consent-flows.ts'
import { readAmendedId } from './amendments.ts'
import type { Customers } from './customers.ts'
import type { FlowRecords } from './flow-records.ts'
import type { FlowState, Flows } from './flow-state.ts'
import type { FlowEvent } from './flow-store.ts'
import { type Brand, type Page, renderLayout } from './pages/layout.ts'
import type { Asked } from './pages/steps.ts'
import type { Passcodes } from './passcodes.ts'
import { endOfSharing, readSharingDuration } from './sharing-duration.ts'
import type { ConsentStore } from './store.ts'

/** A request to the page of a flow. */
export interface PageRequest {
  readonly uid: string
  /** The secret of the flow in the cookie. */
  readonly secret: string | undefined
  /** The form of a POST request. */
  readonly form?: URLSearchParams | undefined
  /** The address of the browser, for limits. */
  readonly source: string
  /** Whether the browser says that another site sent the form. */
  readonly isCrossSite: boolean
  readonly interactionId: string
  readonly raw: IncomingMessage
  readonly response: ServerResponse
}

export interface PageResponse {
  readonly status: number
  readonly html?: string
  readonly location?: string
  /** A new secret for the cookie. */
  readonly secret?: string
  /** The origin that a form of the page may lead to, besides its own. */
  readonly formTarget?: string
  /** What the customer's action led to. */
  readonly decision?: Decision
}

/** For the record of the flow. The step is that of the page, if none is named. */
export interface Decision extends Pick<FlowEvent, 'outcome' | 'reason'> {
  readonly step?: FlowEvent['step']
}

export const succeeded: Decision = { outcome: 'succeeded' }

export function fail(reason: FlowReason): Decision {
  return { outcome: 'failed', reason }
}

export interface FlowOptions {
  readonly store: ConsentStore
  readonly flows: Flows
  readonly flowRecords: FlowRecords
  readonly customers: Customers
  readonly passcodes: Passcodes
  readonly provider: () => Promise<Provider>
  readonly brand: Brand
  readonly clock: () => Temporal.Instant
  /** Where a customer can withdraw a consent. */
  readonly consentsUrl: string
  /** In a demonstration, the passcode that was sent last to the address. */
  readonly shownPasscode?: ((email: string) => string | undefined) | undefined
}

/** The flow of one request: its state, and what the third party asks for. */
export interface FlowContext {
  readonly request: PageRequest
  readonly provider: Provider
  readonly secret: string
  readonly state: FlowState
  readonly asked: Asked
  readonly thirdPartyId: string
  /** The arrangement that the customer confirmed before, if the answer to that was lost. */
  readonly confirmedId: string | undefined
  /** The arrangement that the customer is asked to amend. */
  readonly amendedId: string | undefined
  readonly seconds: number
  readonly formTarget: string
}

/** Finds the flow of a request, or starts one. Undefined if the request belongs to another flow or third party. */
export async function openFlowContext(
  { store, flows, clock, provider: readProvider }: FlowOptions,
  request: PageRequest,
): Promise<FlowContext | undefined> {
  const provider = await readProvider()
  const { params, uid, result } = await provider.interactionDetails(request.raw, request.response)
  if (uid !== request.uid) return undefined
  const thirdPartyId = String(params['client_id'])
  const thirdParty = await store.thirdParties.find(thirdPartyId)
  if (!thirdParty) return undefined
  const state = request.secret && (await flows.read(request.secret, uid))
  const flow = state ? { secret: request.secret ?? '', state } : await flows.start(uid)
  const seconds = readSharingDuration(params) ?? 0
  const amendedId = readAmendedId(params)
  return {
    ...flow,
    request,
    provider,
    thirdPartyId,
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

export function renderPage(
  { brand }: Pick<FlowOptions, 'brand'>,
  status: number,
  page: Page,
  context?: FlowContext,
): PageResponse {
  const html = renderLayout(brand, page)
  if (!context) return { status, html }
  return { status, html, formTarget: context.formTarget, secret: context.secret }
}

/** To the page itself, which then shows the present step. */
export function redirectToFlow(secret: string): PageResponse {
  return { status: 303, location: '', secret }
}
