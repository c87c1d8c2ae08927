import { randomUUID } from 'node:crypto'
import { type FlowReason, flowSeconds } from '../../contract/consent-flows.ts'
import { findAmended, keepChoice, preselect, readAccountChoice } from './account-choice.ts'
import type { ShownAccount } from './account-details.ts'
import { isCorrectable } from './correctable-errors.ts'
import { ProviderUnavailable, refusalText } from './customers.ts'
import {
  type FlowContext,
  type FlowResponse,
  type FlowState,
  fail,
  redirectToFlow,
  refused,
  succeeded,
} from './flow-context.ts'
import type { FlowEvent } from './flow-store.ts'
import { renderPage } from './page-exchange.ts'
import { renderAccountsStep, renderNoAccounts } from './pages/accounts-step.ts'
import type { Page, Problem } from './pages/layout.ts'
import {
  renderConfirmStep,
  renderError,
  renderIdentifyStep,
  renderPasscodeStep,
} from './pages/steps.ts'
import type { OverLimit } from './passcode-budgets.ts'
import type { PasscodeOwner } from './passcodes.ts'
import { bindRequest } from './pushed-requests.ts'
import { acr } from './request-claims.ts'
import { listAccountKinds } from './scopes.ts'
import { makeFormToken } from './sealed-states.ts'
import { endOfSharing } from './sharing-duration.ts'
import { checkPasscode, requestPasscode } from './sign-in.ts'

/** What the customer did on a page. */
export type Action = (context: FlowContext, form: URLSearchParams) => Promise<FlowResponse>

/** The buttons of each step. */
export const actions: Readonly<Record<FlowState['step'], Readonly<Record<string, Action>>>> = {
  identify: {
    identify: (context, form) => sendPasscode(context, (form.get('email') ?? '').trim()),
  },
  passcode: {
    passcode: submitPasscode,
    resend: (context) => sendPasscode(context, context.state.email ?? ''),
    restart,
  },
  accounts: {
    accounts: submitAccounts,
    'select-all': selectAllAccounts,
    leave,
    'no-accounts': leaveWithoutAccounts,
  },
  confirm: { confirm, back: changeAccounts, leave },
}

/** How long a confirmation waits for the provider: without an answer, it continues. */
const recheckMs = 1500

/** That the customer went back or cancelled, by the arrangement. */
const rejectionModel = 'Rejection'

interface Shown {
  readonly problem?: Problem | undefined
  readonly status?: number
  readonly email?: string
  readonly selected?: ReadonlySet<string>
  readonly over?: OverLimit | undefined
}

/** Shows the present step again, with what the customer has to correct. */
async function showProblem(
  context: FlowContext,
  reason: FlowReason,
  shown: Shown,
): Promise<FlowResponse> {
  const problem = shown.problem && { ...shown.problem, isCorrectable: isCorrectable(reason) }
  const { over } = shown
  return { ...(await showStep(context, { ...shown, problem })), over, decision: fail(reason, over) }
}

/** The page of the present step. */
export async function showStep(context: FlowContext, shown: Shown = {}): Promise<FlowResponse> {
  const { formTarget, secret } = context
  const page = await renderStep(context, shown)
  return { ...renderPage(context, shown.status ?? 200, page), formTarget, secret }
}

async function renderStep(context: FlowContext, shown: Shown): Promise<Page> {
  const { state, asked, secret, brand, showPasscode, consentsUrl } = context
  const { email = '', passcodeExpires = 0 } = state
  const page = { brand, asked, token: makeFormToken(secret), problem: shown.problem }
  switch (state.step) {
    case 'identify':
      return renderIdentifyStep(page, shown.email ?? email)
    case 'passcode': {
      const expires = Temporal.Instant.fromEpochMilliseconds(passcodeExpires)
      return renderPasscodeStep(page, { email, expires, shown: showPasscode?.(email) })
    }
    case 'accounts': {
      const choice = await readAccountChoice(context)
      if (choice.offered.length + choice.keptAccountIds.length === 0) {
        return renderNoAccounts(page, choice)
      }
      const chosen = state.accounts && new Set(state.accounts.map(({ id }) => id))
      const selected = shown.selected ?? chosen ?? preselect(choice)
      return renderAccountsStep(page, { ...choice, selected })
    }
    case 'confirm': {
      const { accounts = [], keptAccountIds = [], historyFrom, customerId = '' } = state
      return renderConfirmStep(page, {
        accounts,
        keptCount: keptAccountIds.length,
        historyFrom: historyFrom === undefined ? undefined : Temporal.Instant.from(historyFrom),
        email,
        page: consentsUrl,
        id: state.arrangementId,
        thirdPartyId: context.thirdPartyId,
        earlier: await findAmended(context, customerId),
      })
    }
  }
}

export async function cancel(context: FlowContext): Promise<FlowResponse> {
  await withdrawEarlier(context)
  const decision = { outcome: 'cancelled', reason: 'cancelled_by_customer' } as const
  return { ...(await endWithError(context, 'access_denied', 'the customer cancelled')), decision }
}

/** The customer leaves the page that says that the provider cannot share the data now. */
async function leave(context: FlowContext): Promise<FlowResponse> {
  await withdrawEarlier(context)
  const ended = await endWithError(context, 'access_denied', refusalText)
  return { ...ended, decision: refused }
}

/** The customer leaves the page that says that there is no account to share. */
async function leaveWithoutAccounts(context: FlowContext): Promise<FlowResponse> {
  await withdrawEarlier(context)
  const text = 'the customer has no account that can be shared'
  const ended = await endWithError(context, 'access_denied', text)
  return { ...ended, decision: fail('no_shareable_account') }
}

/** Returns the customer to the third party with an error. */
async function endWithError(
  { provider, request }: FlowContext,
  error: string,
  description: string,
): Promise<FlowResponse> {
  const location = await provider.interactionResult(request.raw, request.response, {
    error,
    error_description: description,
  })
  return { status: 303, location }
}

async function moveTo(
  { flows, secret, state }: FlowContext,
  change: Partial<FlowState>,
): Promise<FlowResponse> {
  await flows.save(secret, { ...state, ...change })
  return redirectToFlow(secret)
}

async function sendPasscode(context: FlowContext, email: string): Promise<FlowResponse> {
  const sent = await requestPasscode(context, toOwner(context), email)
  if ('expires' in sent) {
    const passcodeExpires = sent.expires.epochMilliseconds
    const moved = await moveTo(context, { step: 'passcode', email, passcodeExpires })
    const decision = sent.isSent ? succeeded : fail('no_passcode_sent')
    return { ...moved, decision: { ...decision, step: 'identify' } }
  }
  const { text, status, reason, over } = sent.problem
  const field = context.state.step === 'identify' ? 'email' : 'passcode'
  return showProblem(context, reason, { problem: { field, text }, status, email, over })
}

function toOwner({ secret, request, thirdPartyId }: FlowContext): PasscodeOwner {
  return { secret, purpose: 'consent', thirdPartyId, source: request.source }
}

/** A new secret: the customer need not wait before a passcode is sent to the other address. */
async function restart({ flows, secret, state }: FlowContext): Promise<FlowResponse> {
  return redirectToFlow(await flows.rotate(secret, { ...state, step: 'identify' }))
}

async function submitPasscode(context: FlowContext, form: URLSearchParams): Promise<FlowResponse> {
  const passcode = form.get('passcode') ?? ''
  const result = await checkPasscode(context, toOwner(context), passcode, {
    proceed: (customerId) => authenticate(context, customerId),
    async finish({ secret }) {
      if (secret !== undefined) await context.flows.remove(context.secret)
    },
  })
  if (!('problem' in result)) return result
  const { text, status, reason, over } = result.problem
  return showProblem(context, reason, { problem: { field: 'passcode', text }, status, over })
}

/** Continues with the customer that entered the passcode. */
async function authenticate(context: FlowContext, customerId: string): Promise<FlowResponse> {
  const { state, asked, flows, amendedId, requestKey, store, clock } = context
  if (requestKey !== undefined && !(await bindRequest(store, requestKey, state.uid, clock()))) {
    return { ...renderPage(context, 400, usedRequestPage), decision: fail('request_used') }
  }
  if (amendedId !== undefined && !(await findAmended(context, customerId))) {
    const text = 'cdr_arrangement_id is not an arrangement of the customer'
    const ended = await endWithError(context, 'invalid_request', text)
    return { ...ended, decision: fail('other_customer') }
  }
  const needsAccounts = listAccountKinds(asked.scopes).size > 0
  const step = needsAccounts ? 'accounts' : 'confirm'
  // A new secret: one that was known before the authentication is of no use after it.
  const next = await flows.create({ ...state, step, customerId })
  const decision = needsAccounts ? succeeded : { ...succeeded, skipped: skippedAccounts }
  return { ...redirectToFlow(next), decision }
}

/** Without it, a flow that ends at the confirmation would count as one that ended before the choice of accounts. */
const skippedAccounts: FlowEvent = {
  step: 'accounts',
  outcome: 'succeeded',
  detail: 'the request needs no account',
}

const usedRequestPage = renderError(
  'This request was already used',
  'You continued in another window or browser. If you did not, go back to the website or app that you came from and start again. Nothing was shared here.',
)

async function submitAccounts(context: FlowContext, form: URLSearchParams): Promise<FlowResponse> {
  const selected = new Set(form.getAll('account'))
  const { offered, keptAccountIds } = await readAccountChoice(context)
  const accounts = offered.filter(({ id }) => selected.has(id))
  const isOffered = accounts.length === selected.size
  if (isOffered && accounts.length + keptAccountIds.length > 0) {
    const arrangementId = randomUUID()
    const change = { step: 'confirm', keptAccountIds, arrangementId } as const
    return {
      ...(await moveTo(context, { ...change, ...keepChoice(accounts) })),
      decision: succeeded,
    }
  }
  const text = isOffered ? 'Select at least one account' : 'Select accounts from the list'
  const reason = isOffered ? 'no_account_selected' : 'account_not_offered'
  const problem = { field: 'accounts', text }
  return showProblem(context, reason, { problem, status: 422, selected })
}

async function selectAllAccounts(context: FlowContext): Promise<FlowResponse> {
  const { offered } = await readAccountChoice(context)
  const open = offered.filter(({ isOpen }) => isOpen !== false)
  return showStep(context, { selected: new Set(open.map(({ id }) => id)) })
}

async function changeAccounts(context: FlowContext): Promise<FlowResponse> {
  await withdrawEarlier(context)
  return moveTo(context, { step: 'accounts' })
}

/** Those of the chosen accounts that can still be shared, or all of them if the provider does not answer. */
async function recheckAccounts({
  customers,
  state,
}: FlowContext): Promise<readonly ShownAccount[]> {
  const { customerId = '', accounts = [] } = state
  try {
    const listed = await customers.listAccounts(customerId, recheckMs)
    return accounts.filter(({ id }) => listed.some((each) => each.id === id))
  } catch (error) {
    if (error instanceof ProviderUnavailable) return accounts
    throw error
  }
}

/** Shows the accounts again, without the chosen ones that can no longer be shared. */
async function chooseAgain(
  context: FlowContext,
  accounts: readonly ShownAccount[],
): Promise<FlowResponse> {
  const { flows, secret, state } = context
  await withdrawEarlier(context)
  const next = { ...state, step: 'accounts', accounts } as const
  await flows.save(secret, next)
  const text = 'An account that you chose can no longer be shared. Check your choice'
  const problem = { field: 'accounts', text }
  return showProblem({ ...context, state: next }, 'account_not_offered', { problem, status: 422 })
}

/**
 * Withdraws what the customer confirmed earlier in this flow, except for the arrangement `keptId`: if the answer was
 * lost, the customer did not return to the third party and decides again.
 */
async function withdrawEarlier(
  { store, clock, state, confirmedId }: FlowContext,
  keptId?: string,
): Promise<void> {
  for (const id of new Set([state.arrangementId, confirmedId])) {
    if (id !== undefined && id !== keptId) {
      const now = clock()
      // First: a confirmation at the same time adds the arrangement before it reads this, so one of the two withdraws it.
      const artifact = { payload: '{}', expires: now.add({ seconds: flowSeconds }) }
      await store.artifacts.put(rejectionModel, id, artifact, now)
      await store.arrangements.withdraw(id, 'customer', now)
    }
  }
}

/** Stores the arrangement before the third party gets a code. May be repeated if an answer was lost. */
async function confirm(context: FlowContext, form: URLSearchParams): Promise<FlowResponse> {
  const { store, clock, state, provider, request, asked, thirdPartyId, seconds, secret } = context
  const { customerId = '', accounts = [], keptAccountIds = [], arrangementId } = state
  const { scopes } = asked
  // The page showed an earlier choice of accounts.
  if (form.get('arrangement') !== arrangementId) return redirectToFlow(secret)
  const shareable = await recheckAccounts(context)
  if (shareable.length < accounts.length) return chooseAgain(context, shareable)
  await withdrawEarlier(context, arrangementId)
  const now = clock()
  const { isAmendment } = asked
  const arrangement = {
    id: arrangementId,
    thirdPartyId,
    customerId,
    accountIds: [...accounts.map(({ id }) => id), ...keptAccountIds],
    scopes,
    from: now,
    until: endOfSharing(seconds, now),
  }
  await store.arrangements.add(arrangement, { isAmendment })
  // It may have been removed before the arrangement could be withdrawn with it.
  if (!(await store.thirdParties.find(thirdPartyId))) {
    await store.arrangements.withdraw(arrangementId, 'third_party_removed', clock())
    return { ...redirectToFlow(secret), decision: fail('third_party_removed') }
  }
  if (await store.artifacts.find(rejectionModel, arrangementId, clock())) {
    await store.arrangements.withdraw(arrangementId, 'customer', clock())
  }
  const stored = await store.arrangements.find(arrangementId, clock())
  // Confirmed earlier, and withdrawn on another page since: the customer confirms a new one.
  if (stored?.status !== 'active') {
    const moved = await moveTo(context, { arrangementId: randomUUID() })
    return { ...moved, decision: fail('consent_ended') }
  }
  const grant = new provider.Grant({ clientId: thirdPartyId, accountId: customerId })
  const expiresIn = Math.max(1, Math.floor(stored.until.since(now).total('seconds')))
  Object.assign(grant, { jti: arrangementId, expiresIn })
  grant.addOIDCScope(scopes.join(' '))
  await grant.save()
  const location = await provider.interactionResult(request.raw, request.response, {
    login: { accountId: customerId, acr, amr: ['otp'], remember: false },
    consent: { grantId: arrangementId },
  })
  return { status: 303, location, decision: succeeded }
}
