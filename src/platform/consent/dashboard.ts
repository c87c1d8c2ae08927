import type { ShareableAccount } from '../../contract/index.ts'
import { ProviderUnavailable } from './customers.ts'
import { listArrangements } from './list-arrangements.ts'
import {
  renderConsent,
  renderConsents,
  renderSignIn,
  renderSignInPasscode,
  renderStop,
} from './pages/dashboard.ts'
import { type Brand, type Page, type Problem, renderLayout } from './pages/layout.ts'
import { renderError } from './pages/steps.ts'
import { isFormToken, makeFormToken, makeStateSecret, type SealedStates } from './sealed-states.ts'
import { checkPasscode, requestPasscode, type SignInOptions } from './sign-in.ts'
import type { ConsentStore, StoredArrangement } from './store.ts'
import { readThirdPartyNames } from './third-party-names.ts'

/** How long a customer stays signed in. */
export const sessionSeconds = 15 * 60

/** The page shows a consent without the names of its accounts rather than make the customer wait. */
const accountNamesMs = 1500

/** Before the passcode is entered, or after it. Without a state, the customer enters an e-mail address. */
export type SessionState =
  | { readonly email: string; readonly passcodeExpires: number }
  | { readonly customerId: string }

export interface DashboardRequest {
  /** The consent in the path. */
  readonly id: string | undefined
  /** Whether the path is that of the confirmation. */
  readonly isStop: boolean
  /** The secret in the cookie. */
  readonly secret: string | undefined
  /** The form of a POST request. */
  readonly form: URLSearchParams | undefined
  readonly source: string
  readonly isCrossSite: boolean
  readonly interactionId: string
}

export interface DashboardResponse {
  readonly status: number
  readonly html?: string
  /** Below the path of the page. */
  readonly location?: string
  /** For the cookie; empty to remove it. */
  readonly secret?: string
}

export interface DashboardOptions extends SignInOptions {
  readonly store: ConsentStore
  readonly sessions: SealedStates<SessionState>
  readonly brand: Brand
  readonly clock: () => Temporal.Instant
  /** The path of the page. */
  readonly path: string
  readonly shownPasscode?: ((email: string) => string | undefined) | undefined
}

/** Answers a request to a page on which a customer sees and withdraws consents. */
export async function answerDashboardRequest(
  options: DashboardOptions,
  request: DashboardRequest,
): Promise<DashboardResponse> {
  try {
    return await answer(options, request)
  } catch (error) {
    if (!(error instanceof ProviderUnavailable)) throw error
    const { interactionId } = request
    const text = `${options.brand.name} does not respond at the moment. Wait a moment, then try again.`
    const retry = options.path
    return render(options, 503, renderError('Please try again', text, { retry, interactionId }))
  }
}

/** One request, with the secret that its response keeps. */
interface Context extends DashboardOptions {
  readonly request: DashboardRequest
  readonly secret: string
}

async function answer(
  options: DashboardOptions,
  request: DashboardRequest,
): Promise<DashboardResponse> {
  const { form } = request
  const given = /^[\w-]{43}$/.test(request.secret ?? '') ? request.secret : undefined
  const state = given === undefined ? undefined : await options.sessions.read(given)
  const context = { ...options, request, secret: given ?? makeStateSecret() }
  const isOwn =
    !form ||
    (given !== undefined && !request.isCrossSite && isFormToken(given, form.get('token') ?? ''))
  if (!isOwn) return render(options, 403, renderForeignForm(options))
  if (state && 'customerId' in state) return answerSignedIn(context, state.customerId)
  // The page of a consent leads to the sign-in once the session is over.
  if (request.id !== undefined) return { status: 303, location: '' }
  return form ? submitSignIn(context, state, form) : showSignIn(context, state)
}

function showSignIn(
  context: Context,
  state: SessionState | undefined,
  { problem, status = 200, email = '' }: Shown = {},
): DashboardResponse {
  const { brand, secret, shownPasscode } = context
  const step = { brand, token: makeFormToken(secret), problem }
  if (!state || !('email' in state)) {
    return { ...render(context, status, renderSignIn(step, email)), secret }
  }
  const expires = Temporal.Instant.fromEpochMilliseconds(state.passcodeExpires)
  const sent = { email: state.email, expires, shown: shownPasscode?.(state.email) }
  return render(context, status, renderSignInPasscode(step, sent))
}

interface Shown {
  readonly problem?: Problem
  readonly status?: number
  readonly email?: string
}

async function submitSignIn(
  context: Context,
  state: SessionState | undefined,
  form: URLSearchParams,
): Promise<DashboardResponse> {
  const { request, secret, sessions } = context
  const attempt = { secret, purpose: 'sign-in', source: request.source } as const
  const waiting = state && 'email' in state ? state : undefined
  const action = form.get('action')
  if (waiting && action === 'restart') {
    await sessions.remove(secret)
    return { status: 303, location: '', secret: makeStateSecret() }
  }
  if (waiting && action === 'passcode') {
    const entered = form.get('passcode') ?? ''
    const result = await checkPasscode(context, attempt, entered, {
      // A new secret: one that was known before the authentication is of no use after it.
      proceed: async (customerId) => ({
        status: 303,
        location: '',
        secret: await sessions.create({ customerId }),
      }),
      finish: () => sessions.remove(secret),
    })
    if ('problem' in result) return showProblem(context, waiting, 'passcode', result.problem)
    return result
  }
  if (!waiting && action !== 'identify') return { status: 303, location: '' }
  const email = waiting?.email ?? (form.get('email') ?? '').trim()
  const sent = await requestPasscode(context, attempt, email)
  if ('problem' in sent) {
    return showProblem(context, waiting, waiting ? 'passcode' : 'email', sent.problem, email)
  }
  await sessions.save(secret, { email, passcodeExpires: sent.expires.epochMilliseconds })
  return { status: 303, location: '', secret }
}

function showProblem(
  context: Context,
  state: SessionState | undefined,
  field: string,
  { text, status }: { readonly text: string; readonly status: number },
  email = '',
): DashboardResponse {
  return showSignIn(context, state, { problem: { field, text }, status, email })
}

async function answerSignedIn(context: Context, customerId: string): Promise<DashboardResponse> {
  const { request, store, sessions, secret, clock, brand, path } = context
  const { id, isStop, form } = request
  const token = makeFormToken(secret)
  const names = await readThirdPartyNames(store)
  const nameOf = ({ thirdPartyId }: StoredArrangement) => names.get(thirdPartyId)
  if (id === undefined) {
    if (form?.get('action') === 'sign-out') {
      await sessions.remove(secret)
      return { status: 303, location: '', secret: '' }
    }
    if (form) return { status: 303, location: '' }
    const all = await Array.fromAsync(listArrangements(store.arrangements, { customerId }, clock()))
    const shown = all.reverse().map((arrangement) => ({ arrangement, name: nameOf(arrangement) }))
    return render(context, 200, renderConsents({ brand, token, path }, shown))
  }
  const arrangement = await store.arrangements.find(id, clock())
  // The consent of another customer is unknown.
  if (arrangement?.customerId !== customerId) return render(context, 404, renderUnknown(path))
  const shown = { arrangement, name: nameOf(arrangement) }
  if (isStop && form?.get('action') === 'withdraw') {
    await store.arrangements.withdraw(id, 'customer', clock())
    return { status: 303, location: `/${encodeURIComponent(id)}` }
  }
  if (isStop && !form && arrangement.status === 'active') {
    return render(context, 200, renderStop({ brand, token, path }, shown))
  }
  if (isStop || form) return { status: 303, location: `/${encodeURIComponent(id)}` }
  const changes = await store.arrangements.listChanges(id)
  const accounts = await readAccounts(context, arrangement)
  return render(
    context,
    200,
    renderConsent({ brand, token, path }, { ...shown, changes, accounts }),
  )
}

/** The names of the shared accounts. Undefined if the provider does not answer: a customer can withdraw nevertheless. */
async function readAccounts(
  { customers }: Context,
  { customerId, accountIds }: StoredArrangement,
): Promise<readonly ShareableAccount[] | undefined> {
  try {
    const accounts =
      accountIds.length === 0 ? [] : await customers.listAccounts(customerId, accountNamesMs)
    return accounts.filter(({ id }) => accountIds.includes(id))
  } catch (error) {
    if (error instanceof ProviderUnavailable) return undefined
    throw error
  }
}

function render(
  { brand }: Pick<DashboardOptions, 'brand'>,
  status: number,
  page: Page,
): DashboardResponse {
  return { status, html: renderLayout(brand, page) }
}

function renderUnknown(path: string): Page {
  return renderError('There is no such consent', 'Go back to the list of your consents.', {
    retry: path,
  })
}

function renderForeignForm({ path }: DashboardOptions): Page {
  return renderError(
    'The form could not be used',
    'It was not sent from this page, or cookies are disabled. Nothing was changed.',
    { retry: path },
  )
}
