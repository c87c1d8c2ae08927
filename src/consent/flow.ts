import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors, type Provider } from 'oidc-provider'
import type { ShareableAccount } from '../contract/index.ts'
import { type Customers, ProviderUnavailable } from './customers.ts'
import { type FlowState, type Flows, isFormToken, makeFormToken } from './flow-state.ts'
import { acr } from './openid-configuration.ts'
import { findAccountKind } from './pages/account-groups.ts'
import { type Brand, type Page, type Problem, renderLayout } from './pages/layout.ts'
import {
  type Asked,
  renderAccounts,
  renderConfirm,
  renderError,
  renderIdentify,
  renderPasscode,
} from './pages/steps.ts'
import { type Passcodes, passcodeDigits, type TryResult } from './passcodes.ts'
import { listAccountKinds } from './scopes.ts'
import { endOfSharing, readSharingDuration } from './sharing-duration.ts'
import type { ConsentStore } from './store.ts'

const emailLengthMax = 254

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
}

export interface FlowOptions {
  readonly store: ConsentStore
  readonly flows: Flows
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
interface Context {
  readonly request: PageRequest
  readonly provider: Provider
  readonly secret: string
  readonly state: FlowState
  readonly asked: Asked
  readonly thirdPartyId: string
  readonly seconds: number
  readonly formTarget: string
}

type Action = (context: Context, form: URLSearchParams) => Promise<PageResponse>

/** Returns a function that answers a request to the page of a flow. */
export function openFlow(options: FlowOptions): (request: PageRequest) => Promise<PageResponse> {
  const { store, flows, customers, passcodes, brand, clock, consentsUrl } = options

  const render = (status: number, page: Page, context?: Context): PageResponse => ({
    status,
    html: renderLayout(brand, page),
    ...(context && { formTarget: context.formTarget, secret: context.secret }),
  })
  const redirect = (context: Context, secret = context.secret): PageResponse => ({
    status: 303,
    location: '',
    secret,
  })
  const moveTo = async (context: Context, change: Partial<FlowState>): Promise<PageResponse> => {
    await flows.save(context.secret, { ...context.state, ...change })
    return redirect(context)
  }

  /** The accounts of the customer, by whether the third party asks for data of their kind. */
  const readAccounts = async ({ state, asked }: Context) => {
    const kinds = listAccountKinds(asked.scopes)
    const accounts = kinds.size === 0 ? [] : await customers.listAccounts(state.customerId ?? '')
    const isAsked = (account: ShareableAccount) => {
      const kind = findAccountKind(account)
      return kind === undefined || kinds.has(kind)
    }
    return {
      offered: accounts.filter(isAsked),
      excluded: accounts.filter((account) => !isAsked(account)),
    }
  }

  const show = async (
    context: Context,
    { problem, status = 200, email, selected }: Shown = {},
  ): Promise<PageResponse> => {
    const { state, asked, secret } = context
    const step = { brand, asked, token: makeFormToken(secret), problem }
    const respond = (page: Page) => render(status, page, context)
    if (state.step === 'identify') return respond(renderIdentify(step, email ?? state.email ?? ''))
    const address = state.email ?? ''
    if (state.step === 'passcode') {
      const expires = Temporal.Instant.fromEpochMilliseconds(state.passcodeExpires ?? 0)
      const shown = options.shownPasscode?.(address)
      return respond(renderPasscode(step, { email: address, expires, shown }))
    }
    const { offered, excluded } = await readAccounts(context)
    const chosen = selected ?? state.accountIds ?? []
    if (state.step === 'accounts') {
      return respond(renderAccounts(step, { offered, excluded, selected: chosen }))
    }
    const accounts = offered.filter(({ id }) => chosen.includes(id))
    return respond(renderConfirm(step, { accounts, email: address, page: consentsUrl }))
  }

  const sendPasscode = async (context: Context, email: string): Promise<PageResponse> => {
    const { request, secret } = context
    const tooMany = { problem: { field: 'email', text: tooManyText }, status: 429, email }
    const here = { ...context, state: { ...context.state, step: 'identify' as const } }
    if (!(await passcodes.mayRequest(email, request.source))) return show(here, tooMany)
    const matches = await customers.search(email)
    const sent = await passcodes.request({ secret, email, matches })
    if (sent.outcome === 'too soon') {
      return show(context, {
        problem: { field: 'passcode', text: tooSoonText },
        status: 429,
        email,
      })
    }
    const passcodeExpires = sent.expires.epochMilliseconds
    return moveTo(context, { step: 'passcode', email, passcodeExpires })
  }

  const actions: Readonly<Record<FlowState['step'], Readonly<Record<string, Action>>>> = {
    identify: {
      async identify(context, form) {
        const email = (form.get('email') ?? '').trim()
        const isAddress = /^[^\s@]+@[^\s@]+$/.test(email) && email.length <= emailLengthMax
        if (isAddress) return sendPasscode(context, email)
        const text = 'Enter your e-mail address, such as name@example.com'
        return show(context, { problem: { field: 'email', text }, status: 422, email })
      },
    },
    passcode: {
      async passcode(context, form) {
        const passcode = (form.get('passcode') ?? '').replaceAll(/[\s-]/g, '')
        if (!new RegExp(`^\\d{${passcodeDigits}}$`).test(passcode)) {
          const text = `Enter the ${passcodeDigits} digits of the code`
          return show(context, { problem: { field: 'passcode', text }, status: 422 })
        }
        const result = await passcodes.verify(context.secret, passcode, context.request.source)
        if (result.outcome !== 'correct') {
          const problem = { field: 'passcode', text: explainTry(result) }
          return show(context, { problem, status: result.outcome === 'too many' ? 429 : 422 })
        }
        // A new secret: one that was known before the authentication is of no use after it.
        const secret = await flows.rotate(context.secret, {
          ...context.state,
          step: listAccountKinds(context.asked.scopes).size === 0 ? 'confirm' : 'accounts',
          customerId: result.customerId,
          accountIds: [],
        })
        return redirect(context, secret)
      },
      resend: (context) => sendPasscode(context, context.state.email ?? ''),
      restart: (context) => moveTo(context, { step: 'identify' }),
    },
    accounts: {
      async accounts(context, form) {
        const accountIds = [...new Set(form.getAll('account'))]
        const { offered } = await readAccounts(context)
        const isOffered = accountIds.every((id) => offered.some((account) => account.id === id))
        if (isOffered && accountIds.length > 0) {
          return moveTo(context, { step: 'confirm', accountIds })
        }
        const text = isOffered ? 'Select at least one account' : 'Select accounts from the list'
        const selected = accountIds.filter((id) => offered.some((account) => account.id === id))
        return show(context, { problem: { field: 'accounts', text }, status: 422, selected })
      },
      async 'select-all'(context) {
        const { offered } = await readAccounts(context)
        return show(context, { selected: offered.map(({ id }) => id) })
      },
    },
    confirm: {
      confirm: (context) => finish(context),
      back: (context) => moveTo(context, { step: 'accounts' }),
    },
  }

  /** Stores the arrangement before the third party gets a code. May be repeated if an answer was lost. */
  const finish = async (context: Context): Promise<PageResponse> => {
    const { state, provider, request, asked, thirdPartyId, seconds } = context
    const { customerId = '', accountIds = [], arrangementId } = state
    const { offered } = await readAccounts(context)
    if (!accountIds.every((id) => offered.some((account) => account.id === id))) {
      await flows.save(context.secret, { ...state, step: 'accounts', accountIds: [] })
      return redirect(context)
    }
    const from = clock()
    const until = endOfSharing(seconds, from)
    const { scopes } = asked
    await store.arrangements.add({
      id: arrangementId,
      thirdPartyId,
      customerId,
      accountIds,
      scopes,
      from,
      until,
    })
    const expiresIn = Math.floor(until.since(from).total('seconds'))
    const grant = new provider.Grant({ clientId: thirdPartyId, accountId: customerId })
    Object.assign(grant, { jti: arrangementId, expiresIn })
    grant.addOIDCScope(scopes.join(' '))
    await grant.save()
    const location = await provider.interactionResult(request.raw, request.response, {
      login: { accountId: customerId, acr, amr: ['otp'], remember: false },
      consent: { grantId: arrangementId },
    })
    return { status: 303, location }
  }

  const cancel = async ({ provider, request }: Context): Promise<PageResponse> => {
    const location = await provider.interactionResult(request.raw, request.response, {
      error: 'access_denied',
      error_description: 'the customer cancelled',
    })
    return { status: 303, location }
  }

  const open = async (request: PageRequest): Promise<Context | undefined> => {
    const provider = await options.provider()
    const { params, uid } = await provider.interactionDetails(request.raw, request.response)
    if (uid !== request.uid) return undefined
    const thirdPartyId = String(params['client_id'])
    const thirdParty = await store.thirdParties.find(thirdPartyId)
    if (!thirdParty) return undefined
    const found = request.secret && (await flows.read(request.secret, uid))
    const flow = found ? { secret: request.secret ?? '', state: found } : await flows.start(uid)
    const seconds = readSharingDuration(params) ?? 0
    return {
      ...flow,
      request,
      provider,
      thirdPartyId,
      seconds,
      formTarget: new URL(String(params['redirect_uri'])).origin,
      asked: {
        thirdParty: thirdParty.name,
        scopes: String(params['scope'] ?? '').split(' '),
        until: seconds === 0 ? undefined : endOfSharing(seconds, clock()),
      },
    }
  }

  const answer = async (request: PageRequest): Promise<PageResponse> => {
    const context = await open(request)
    if (!context) return render(400, expiredPage)
    const { form } = request
    if (!form) return show(context)
    const isOwn = !request.isCrossSite && isFormToken(context.secret, form.get('token') ?? '')
    if (!isOwn) return render(403, foreignFormPage, context)
    const name = form.get('action') ?? ''
    if (name === 'cancel') return cancel(context)
    const ofStep = actions[context.state.step]
    const action = Object.hasOwn(ofStep, name) ? ofStep[name] : undefined
    // A page that was open when another one went on: show where the flow is.
    return action ? action(context, form) : redirect(context)
  }

  return (request) =>
    answer(request).catch((error: unknown) => {
      if (error instanceof errors.SessionNotFound) return render(400, expiredPage)
      if (!(error instanceof ProviderUnavailable)) throw error
      const { interactionId } = request
      const text = `${brand.name} does not respond at the moment. Nothing was shared. Wait a moment, then try again.`
      return render(503, renderError('Please try again', text, { retry: '', interactionId }))
    })
}

interface Shown {
  readonly problem?: Problem
  readonly status?: number
  readonly email?: string
  readonly selected?: readonly string[]
}

const tooManyText = 'Too many attempts. Wait some minutes, then try again'
const tooSoonText =
  'We sent a code less than 30 seconds ago. Wait a moment before you request another one'

function explainTry(result: Exclude<TryResult, { readonly outcome: 'correct' }>): string {
  if (result.outcome === 'too many') return tooManyText
  if (result.outcome === 'no tries left')
    return 'This code can no longer be used. Request a new one'
  const count = result.triesLeft === 1 ? 'one more try' : `${result.triesLeft} more tries`
  return `The code is not correct. You have ${count}`
}

const expiredPage = renderError(
  'This page has expired',
  'Nothing was shared. Go back to the website or app that you came from, and start again.',
)

const foreignFormPage = renderError(
  'The form could not be used',
  'It was not sent from this page, or cookies are disabled. Nothing was shared.',
  { retry: '' },
)
