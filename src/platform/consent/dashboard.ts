import { makeSecret } from '../../auth/secrets.ts'
import type { FlowStepName } from '../../contract/consent-flows.ts'
import type { StoredDisclosureRecord } from '../../disclosures/record.ts'
import type { AccountObserver } from './account-observer.ts'
import { readConsentHistory } from './consent-history.ts'
import { readConsentPage } from './consent-page.ts'
import { isCorrectable } from './correctable-errors.ts'
import {
  describeRecord,
  formatRecords,
  readCustomerRecords,
  removedName,
} from './customer-records.ts'
import { ProviderUnavailable } from './customers.ts'
import { type Decision, type FlowOptions, fail, succeeded } from './flow-context.ts'
import type { FlowEvent } from './flow-store.ts'
import {
  type Download,
  isOwnForm,
  type PageRequest,
  type PageResponse,
  renderPage,
} from './page-exchange.ts'
import {
  listLabel,
  renderConsent,
  renderConsents,
  renderSignIn,
  renderStop,
  type View,
} from './pages/dashboard.ts'
import { type Problem, renderButton, renderButtons } from './pages/layout.ts'
import { renderRecords } from './pages/records.ts'
import { renderPasscode } from './pages/sign-in.ts'
import { renderError } from './pages/steps.ts'
import type { OverLimit } from './passcode-budgets.ts'
import type { PasscodeOwner } from './passcodes.ts'
import { type CopyFormat, csvCopy, openHtmlCopy } from './records-copy.ts'
import { makeFormToken, type SealedStates } from './sealed-states.ts'
import { checkPasscode, requestPasscode } from './sign-in.ts'
import { readThirdPartyNames } from './third-party-names.ts'

/** How long a customer stays signed in. */
export const sessionSeconds = 15 * 60

/** In the URL of a consent after the customer stopped it. */
export const stoppedParameter = 'stopped'

/** Before the passcode is entered. Without a state, the customer enters an e-mail address. */
interface WaitingState {
  readonly email: string
  readonly passcodeExpires: number
}

export type SessionState = WaitingState | { readonly customerId: string }

export interface DashboardRequest extends PageRequest {
  /** The consent in the path. */
  readonly id: string | undefined
  /** What is at the path. `stop` is the confirmation. */
  readonly shown: 'list' | 'records' | 'records as CSV' | 'records as HTML' | 'consent' | 'stop'
  /** Whether the query has `stoppedParameter`. */
  readonly isStopped: boolean
  /** Where the page before it ended, of consents or of records. */
  readonly before: string | undefined
}

interface DashboardOptions
  extends Pick<
    FlowOptions,
    'store' | 'customers' | 'passcodes' | 'flowRecords' | 'brand' | 'clock' | 'showPasscode'
  > {
  readonly observer: AccountObserver
  readonly sessions: SealedStates<SessionState>
  /** The path of the list. */
  readonly path: string
}

/** Answers a request to a page on which a customer sees and withdraws consents. */
export async function answerDashboardRequest(
  options: DashboardOptions,
  request: DashboardRequest,
): Promise<PageResponse> {
  try {
    return await answer(options, request)
  } catch (error) {
    if (!(error instanceof ProviderUnavailable)) throw error
    const { interactionId } = request
    const text = `${options.brand.name} does not respond at the moment. Wait a moment, then try again.`
    return renderProblem(options, 503, 'Please try again', text, interactionId)
  }
}

/** One request, with the secret that its response keeps. */
interface Context extends DashboardOptions {
  readonly request: DashboardRequest
  readonly secret: string
}

async function answer(options: DashboardOptions, request: DashboardRequest): Promise<PageResponse> {
  const { form, shown } = request
  const given = /^[\w-]{43}$/.test(request.secret ?? '') ? request.secret : undefined
  const state = given === undefined ? undefined : await options.sessions.read(given)
  const context = { ...options, request, secret: given ?? makeSecret() }
  if (form && !(given !== undefined && isOwnForm(request, given))) {
    if (given !== undefined && !isSignedIn(state)) {
      options.flowRecords.signIn(given, [{ step: 'page', ...fail('form_rejected') }], false)
    }
    const text = 'It was not sent from this page, or cookies are disabled. Nothing was changed.'
    return renderProblem(options, 403, 'The form could not be used', text)
  }
  if (isSignedIn(state)) return answerSignedIn(context, state.customerId)
  // Other pages lead to the sign-in once the session is over.
  if (shown !== 'list') return { status: 303, location: options.path }
  return form ? submitSignIn(context, state, form) : showSignIn(context, state)
}

function isSignedIn(state: SessionState | undefined): state is { readonly customerId: string } {
  return state !== undefined && 'customerId' in state
}

function showSignIn(
  context: Context,
  state: WaitingState | undefined,
  {
    problem,
    status = 200,
    email = '',
    over,
  }: { problem?: Problem; status?: number; email?: string; over?: OverLimit | undefined } = {},
): PageResponse {
  const { brand, secret, showPasscode } = context
  const page = { brand, token: makeFormToken(secret), problem }
  if (!state) return { ...renderPage(context, status, renderSignIn(page, email)), secret, over }
  const expires = Temporal.Instant.fromEpochMilliseconds(state.passcodeExpires)
  const sent = { email: state.email, expires, shown: showPasscode?.(state.email) }
  const buttons = renderButtons(renderButton('Continue', 'passcode'))
  return { ...renderPage(context, status, renderPasscode(page, sent, buttons)), over }
}

async function submitSignIn(
  context: Context,
  waiting: WaitingState | undefined,
  form: URLSearchParams,
): Promise<PageResponse> {
  const { secret, sessions } = context
  const next = { status: 303, location: '' }
  const action = form.get('action')
  if (waiting && action === 'restart') {
    await sessions.remove(secret)
    return { ...next, secret: makeSecret() }
  }
  if (waiting && action === 'passcode') return submitPasscode(context, waiting, form)
  if (!waiting && action !== 'identify') return next
  const email = waiting?.email ?? (form.get('email') ?? '').trim()
  const step = waiting ? 'passcode' : 'identify'
  const sent = await requestPasscode(context, toOwner(context), email).catch((error: unknown) => {
    if (error instanceof ProviderUnavailable) record(context, waiting, step, unreachable)
    throw error
  })
  if ('problem' in sent) {
    const { status, reason, text, over } = sent.problem
    record(context, waiting, step, fail(reason, over))
    const field = waiting ? 'passcode' : 'email'
    const problem = { field, text, isCorrectable: isCorrectable(reason) }
    return showSignIn(context, waiting, { status, problem, email, over })
  }
  record(context, waiting, 'identify', sent.isSent ? succeeded : fail('no_passcode_sent'))
  await sessions.save(secret, { email, passcodeExpires: sent.expires.epochMilliseconds })
  return { ...next, secret }
}

async function submitPasscode(
  context: Context,
  waiting: WaitingState,
  form: URLSearchParams,
): Promise<PageResponse> {
  const { secret, sessions } = context
  const result = await checkPasscode(context, toOwner(context), form.get('passcode') ?? '', {
    // A new secret: one that was known before the authentication is of no use after it.
    proceed: async (customerId): Promise<PageResponse> => ({
      status: 303,
      location: '',
      secret: await sessions.create({ customerId }),
    }),
    finish: () => sessions.remove(secret),
  })
  if (!('problem' in result)) {
    record(context, waiting, 'passcode', succeeded, { step: 'consents', ...succeeded })
    return result
  }
  const { status, reason, text, over } = result.problem
  record(context, waiting, 'passcode', fail(reason, over))
  const problem = { field: 'passcode', text, isCorrectable: isCorrectable(reason) }
  return showSignIn(context, waiting, { status, problem, over })
}

function toOwner({ secret, request }: Context): PasscodeOwner {
  return { secret, purpose: 'sign-in', source: request.source }
}

const unreachable = fail('provider_unreachable')

/** Records a step of the sign-in, and those that follow from it, as those of a flow. */
function record(
  { flowRecords, secret }: Context,
  waiting: WaitingState | undefined,
  step: FlowStepName,
  decision: Decision,
  ...others: readonly FlowEvent[]
): void {
  flowRecords.signIn(secret, [{ ...decision, step }, ...others], waiting === undefined)
}

async function answerSignedIn(context: Context, customerId: string): Promise<PageResponse> {
  const { request, sessions, secret, brand, path } = context
  const { id, form } = request
  const view = { brand, token: makeFormToken(secret), path }
  if (id !== undefined) return answerConsent(context, view, id, customerId)
  if (form?.get('action') === 'sign-out') {
    await sessions.remove(secret)
    return { status: 303, location: path, secret: '' }
  }
  if (form) return { status: 303, location: path }
  if (request.shown === 'records as CSV')
    return downloadRecords(context, customerId, 'records.csv', csvCopy)
  if (request.shown === 'records as HTML')
    return downloadRecords(context, customerId, 'records.html', openHtmlCopy(customerId))
  if (request.shown === 'records') return showRecords(context, view, customerId)
  return renderPage(context, 200, renderConsents(view, await listConsents(context, customerId)))
}

/** A customer sees them even if the provider does not answer. */
async function listConsents({ store, observer, clock, request }: Context, customerId: string) {
  const page = await readConsentPage(store.arrangements, customerId, request.before, clock())
  const { arrangements, before, isFirst } = page
  const [names, disclosures, listed] = await Promise.all([
    readThirdPartyNames(store),
    store.disclosures.listLast(arrangements.map(({ id }) => id)),
    arrangements.some(({ accountIds }) => accountIds.length > 0) ? observer.list(customerId) : [],
  ])
  const consents = arrangements.map((arrangement) => ({
    arrangement,
    name: names.get(arrangement.thirdPartyId) ?? removedName,
    lastDisclosure: disclosures.get(arrangement.id),
    listed,
  }))
  return { consents, before, isFirst }
}

async function showRecords(
  context: Context,
  view: View,
  customerId: string,
): Promise<PageResponse> {
  const page = await describeRecords(context, customerId, context.request.before)
  return renderPage(context, 200, renderRecords(view, page))
}

/** A page of the records of a customer, in the customer's words. */
export async function describeRecords(
  { store, observer }: Pick<DashboardOptions, 'store' | 'observer'>,
  customerId: string,
  before: string | undefined,
  limit?: number,
) {
  const [page, names, listed] = await Promise.all([
    readCustomerRecords(store.disclosureRecords, customerId, before, limit),
    readThirdPartyNames(store),
    observer.list(customerId),
  ])
  return { ...page, records: page.records.map((record) => describeRecord(record, names, listed)) }
}

async function downloadRecords(
  context: Context,
  customerId: string,
  name: Download['name'],
  format: CopyFormat,
): Promise<PageResponse> {
  const { store, observer, brand } = context
  const [names, listed] = await Promise.all([readThirdPartyNames(store), observer.list(customerId)])
  const describe = (record: StoredDisclosureRecord) => describeRecord(record, names, listed)
  const content = formatRecords(store.disclosureRecords, customerId, brand, describe, format)
  return { status: 200, download: { name, content } }
}

/** The pages of one consent: its details, and the confirmation that it shall end. */
async function answerConsent(
  context: Context,
  view: View,
  id: string,
  customerId: string,
): Promise<PageResponse> {
  const { request, store, observer, clock, path } = context
  const { form } = request
  const isStop = request.shown === 'stop'
  const arrangement = await store.arrangements.find(id, clock())
  // The consent of another customer is unknown.
  if (arrangement?.customerId !== customerId) {
    const text = 'The link may be incomplete, or you signed in with another address.'
    const page = renderError('There is no such consent', text, {
      retry: path,
      retryLabel: listLabel,
    })
    return renderPage(context, 404, page)
  }
  const thirdParty = await store.thirdParties.find(arrangement.thirdPartyId)
  const shown = { arrangement, name: thirdParty?.name ?? removedName }
  const isActive = arrangement.status === 'active'
  if (isStop && !form && isActive) {
    const isRecipient = thirdParty?.profile === 'cds'
    const listed = arrangement.accountIds.length === 0 ? [] : await observer.list(customerId)
    return renderPage(context, 200, renderStop(view, { ...shown, listed, isRecipient }))
  }
  const location = `${path}/${encodeURIComponent(id)}`
  if (isStop && form?.get('action') === 'withdraw') {
    await store.arrangements.withdraw(id, 'customer', clock())
    return { status: 303, location: `${location}?${stoppedParameter}` }
  }
  if (isStop || form) return { status: 303, location }
  // A customer can withdraw even if the provider does not answer.
  const listed = arrangement.accountIds.length === 0 ? [] : await observer.review(arrangement)
  const history = await readConsentHistory(store, arrangement)
  const isStopped = request.isStopped && !isActive
  return renderPage(context, 200, renderConsent(view, { ...shown, history, listed, isStopped }))
}

/** A page that leads back to the list. */
function renderProblem(
  options: DashboardOptions,
  status: number,
  title: string,
  text: string,
  interactionId?: string,
): PageResponse {
  const page = renderError(title, text, { retry: options.path, interactionId })
  return renderPage(options, status, page)
}
