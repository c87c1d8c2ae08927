import type { ShownAccount } from '../account-details.ts'
import {
  type Cluster,
  describeAdded,
  describeScopes,
  haveHistory,
  openAddedData,
} from '../scopes.ts'
import { type Html, html } from './html.ts'
import {
  type Brand,
  type Fact,
  formatDate,
  formatDateTime,
  type Page,
  renderButton,
  renderButtons,
  renderFacts,
  renderForm,
  renderItems,
  renderList,
  renderStepButtons,
} from './layout.ts'
import { renderEmailForm, renderPasscode, type SentPasscode, type SignInPage } from './sign-in.ts'

/** What a third party asks for, as every page needs it. */
export interface Asked {
  readonly thirdParty: string
  readonly scopes: readonly string[]
  /** The end of the sharing if it began now; undefined for a single access. */
  readonly until: Temporal.Instant | undefined
  /** Whether it replaces what the customer agreed to before. */
  readonly isAmendment: boolean
}

/** Of the consent to amend. */
interface EarlierTerms {
  readonly accountIds: readonly string[]
  readonly scopes: readonly string[]
  readonly until: Temporal.Instant
}

export interface StepPage extends SignInPage {
  readonly asked: Asked
}

export function renderIdentifyStep(page: StepPage, email: string): Page {
  const { brand, asked, problem } = page
  const buttons = renderStepButtons(asked.thirdParty, renderButton('Continue', 'identify'))
  return {
    title: `${asked.thirdParty} wants to see your data at ${brand.name}`,
    step: 1,
    problem,
    body: html`${asked.isAmendment && html`<p>This changes what you agreed to share with ${asked.thirdParty} before.</p>`}
${renderFacts(describeRequest(asked, brand))}
${renderEmailForm(page, email, buttons)}`,
  }
}

export function renderPasscodeStep(page: StepPage, sent: SentPasscode): Page {
  const buttons = renderStepButtons(page.asked.thirdParty, renderButton('Continue', 'passcode'))
  return { ...renderPasscode(page, sent, buttons), step: 2 }
}

export const jointNotice =
  'The other owners of a joint account may be notified when you share its data, or stop sharing it.'

interface ConfirmStep {
  /** Of the arrangement that the page shows. */
  readonly id: string
  readonly accounts: readonly ShownAccount[]
  /** How many accounts of the consent to amend stay in it, although they cannot be shared now. */
  readonly keptCount: number
  /** When the oldest of the accounts was opened, if it is known of all. */
  readonly historyFrom: Temporal.Instant | undefined
  readonly email: string
  /** Where the customer can withdraw. */
  readonly page: string
  readonly thirdPartyId: string
  readonly earlier: EarlierTerms | undefined
}

export function renderConfirmStep(
  { brand, asked, token, problem }: StepPage,
  step: ConfirmStep,
): Page {
  const { accounts, keptCount, historyFrom, email, page, id, thirdPartyId, earlier } = step
  const { thirdParty } = asked
  const isOrganisation = areOfOrganisation(accounts)
  const review = { isReview: true, isOrganisation, historyFrom, earlier }
  return {
    title: `Share your data with ${thirdParty}?`,
    step: 4,
    problem,
    body: html`${asked.isAmendment && html`<p>This replaces what you agreed to share with ${thirdParty} before. What changes is marked.</p>`}
${renderFacts([
  [
    'Who receives it',
    html`${thirdParty}<span class="detail">Registered at ${brand.name} as <code>${thirdPartyId}</code></span>`,
  ],
  ...describeRequest(asked, brand, review),
  ['Accounts', renderChosen(step)],
  [
    'What it is used for',
    html`${brand.name} does not know. Ask ${thirdParty} what it uses the data for and how it handles it.`,
  ],
  [
    'How to stop sharing',
    html`At any time, in ${thirdParty} or at <a href="${page}">${page}</a>. ${brand.name} then stops sharing at once.`,
  ],
  ['Your e-mail address', html`${email}`],
])}
${renderForm(
  token,
  html`<input type="hidden" name="arrangement" value="${id}">
${renderStepButtons(thirdParty, renderButton('Share', 'confirm'))}
${accounts.length + keptCount > 0 && html`<p>${renderButton('Change the accounts', 'back', 'link')}</p>`}`,
)}`,
  }
}

function renderChosen({ accounts, keptCount, earlier }: ConfirmStep): Html {
  if (accounts.length + keptCount === 0) return html`None: only data about you is shared.`
  const agreed = new Set(earlier?.accountIds)
  const stillShared = accounts.filter(({ id }) => agreed.has(id)).length + keptCount
  const isNew = ({ id }: ShownAccount) => earlier !== undefined && !agreed.has(id)
  return html`${renderItems([
    ...accounts.map((account) => html`${renderAccountName(account)}${isNew(account) && added}`),
    ...(keptCount > 0 ? [html`${countAccounts(keptCount)}, not available now`] : []),
  ])}
${agreed.size > stillShared && html`<p>${changed} No longer shared: ${countAccounts(agreed.size - stillShared).toLowerCase()}.</p>`}
${accounts.some(({ isJoint }) => isJoint) && html`<p>${jointNotice}</p>`}`
}

/** The interface does not say whether a customer is an organisation: the accounts do. */
export function areOfOrganisation(accounts: readonly ShownAccount[]): boolean {
  return accounts.length > 0 && accounts.every(({ isOrganisation }) => isOrganisation)
}

/** An error page. The interaction id lets an operator find the request in the log. */
interface ErrorOptions {
  /** The URL to try again with. */
  readonly retry?: string | undefined
  readonly retryLabel?: string | undefined
  readonly interactionId?: string | undefined
  /** The form to cancel with. */
  readonly cancel?: { readonly token: string; readonly thirdParty: string } | undefined
}

export function renderError(
  title: string,
  text: string,
  { retry, retryLabel = 'Try again', interactionId, cancel }: ErrorOptions = {},
): Page {
  return {
    title,
    body: html`<p>${text}</p>
${retry !== undefined && html`<p><a href="${retry}">${retryLabel}</a></p>`}
${interactionId !== undefined && html`<p class="muted">Reference: <code>${interactionId}</code></p>`}
${cancel && renderForm(cancel.token, renderStepButtons(cancel.thirdParty))}`,
  }
}

/** The provider refuses to share data of the customer. */
export function renderRefusal({ brand, asked, token }: StepPage, interactionId: string): Page {
  const { thirdParty } = asked
  return {
    title: `${brand.name} cannot share your data at the moment`,
    body: html`<p>Nothing was shared with ${thirdParty}. What you agreed to share before has not changed.</p>
<p>For help, contact ${brand.name} and name this reference: <code>${interactionId}</code></p>
${renderForm(token, renderButtons(renderButton(`Return to ${thirdParty}`, 'leave')))}`,
  }
}

/** While the database does not respond. Whether the last change was made may be unknown, so the page does not say. */
export function renderUnavailable(interactionId?: string): Page {
  const text = 'The service is temporarily unavailable. Wait a moment, then try again.'
  return renderError('Please try again', text, { retry: '', interactionId })
}

/** The customer's name for the account, followed by what distinguishes it from others of that name. */
export function renderAccountName({
  displayName = '',
  name,
  number,
  isOpen,
  isJoint,
}: Pick<ShownAccount, 'displayName' | 'name' | 'number' | 'isOpen' | 'isJoint'>): Html {
  const details = [
    displayName === '' || displayName === name ? undefined : name,
    number,
    isJoint && 'Joint account',
    isOpen === false && 'Closed',
  ].filter(Boolean)
  const shown = displayName === '' ? name : displayName
  return html`${shown}${details.length > 0 && html` <span class="muted">${details.join(' · ')}</span>`}`
}

export function countAccounts(count: number): string {
  return count === 1 ? 'One account' : `${count} accounts`
}

/** What the customer shares, each part with its details. */
export function renderClusters(clusters: readonly Cluster[]): Html[] {
  return clusters.map((cluster) => renderCluster(cluster))
}

interface Review {
  /** Whether all details are visible. */
  readonly isReview?: boolean
  readonly isOrganisation?: boolean
  readonly historyFrom?: Temporal.Instant | undefined
  readonly earlier?: EarlierTerms | undefined
}

function describeRequest(asked: Asked, brand: Brand, review: Review = {}): Fact[] {
  const { thirdParty, scopes, until } = asked
  const { isReview = false, isOrganisation, historyFrom, earlier } = review
  const shown = describeScopes(scopes, isOrganisation)
  const before = earlier && describeScopes(earlier.scopes, isOrganisation)
  const isAdded = before ? openAddedData(before) : () => false
  const ended = describeAdded(before ?? [], shown)
  const end = until
    ? html`Until ${formatDateTime(until, brand)}. You can stop at any time.`
    : html`Once. ${thirdParty} can read the data within the next minutes, and not later.`
  const isSameEnd = until?.epochMilliseconds === earlier?.until.epochMilliseconds
  return [
    [
      'What',
      html`${shown.map((cluster) => renderCluster(cluster, isReview, (each) => isAdded(cluster, each)))}
${ended.length > 0 && html`<p>${changed} No longer shared: ${ended.join('; ')}.</p>`}`,
    ],
    [
      'How long',
      html`${end}
${earlier && !isSameEnd && html`<p>${changed} Until now, you agreed to share until ${formatDateTime(earlier.until, brand)}.</p>`}`,
    ],
    ['How far back', describeHistory(asked, brand, historyFrom)],
  ]
}

const changed = html`<strong class="change">Changed</strong>`
const added = html` <strong class="change">New</strong>`

function renderCluster(
  { name, permissions }: Cluster,
  isOpen = false,
  isAdded: (permission: string) => boolean = () => false,
): Html {
  const isAllNew = permissions.every(isAdded)
  return html`<details${isOpen && html` open`}><summary>${name}${isAllNew && added}</summary>
${renderList(permissions.map((each) => html`${each}${!isAllNew && isAdded(each) && added}`))}</details>`
}

/** The platform serves records of any time that the provider has them for. */
function describeHistory(
  { thirdParty, scopes }: Asked,
  brand: Brand,
  from: Temporal.Instant | undefined,
): Html {
  if (!haveHistory(scopes)) {
    return html`No earlier records: ${thirdParty} gets the data as it is when it asks for it.`
  }
  const opened = from && html` The oldest of the accounts was opened on ${formatDate(from, brand)}.`
  return html`Also earlier records, such as transactions, as far back as ${brand.name} has them.${opened}`
}
