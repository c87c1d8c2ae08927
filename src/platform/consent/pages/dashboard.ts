import type { CustomerAccount } from '../account-details.ts'
import type { ConsentPage } from '../consent-page.ts'
import type { Disclosure, StoredArrangement } from '../store.ts'
import {
  type ConsentView,
  describeData,
  renderHistory,
  renderSharedAccounts,
} from './consent-history.ts'
import { type Html, html } from './html.ts'
import {
  type Brand,
  formatDate,
  formatDateTime,
  type Page,
  renderButton,
  renderButtons,
  renderFacts,
  renderForm,
  renderItems,
} from './layout.ts'
import { renderEmailForm, type SignInPage } from './sign-in.ts'
import { countAccounts, jointNotice, renderClusters } from './steps.ts'

export interface View {
  readonly brand: Brand
  readonly token: string
  /** The path of the list. */
  readonly path: string
}

interface ListedConsent extends Pick<ConsentView, 'arrangement' | 'name' | 'listed'> {
  readonly lastDisclosure: Disclosure | undefined
}

export function renderSignIn(page: SignInPage, email: string): Page {
  const { brand, problem } = page
  return {
    title: `Your data sharing at ${brand.name}`,
    problem,
    body: html`<p>See who you share data with, and stop sharing at any time.</p>
${renderEmailForm(page, email, renderButtons(renderButton('Continue', 'identify')))}`,
  }
}

export function renderConsents(
  { brand, token, path }: View,
  {
    consents,
    before,
    isFirst,
  }: Pick<ConsentPage, 'before' | 'isFirst'> & { readonly consents: readonly ListedConsent[] },
): Page {
  const active = consents.filter(({ arrangement }) => arrangement.status === 'active')
  const ended = consents.filter(({ arrangement }) => arrangement.status !== 'active')
  const list = (shown: readonly ListedConsent[]) =>
    html`<ul class="consents">${shown.map((consent) => {
      const { arrangement, name } = consent
      const data = describeData(consent, arrangement.scopes)
      return html`<li>
<p><a href="${path}/${encodeURIComponent(arrangement.id)}" aria-describedby="agreed-${arrangement.id}">${name}</a></p>
<p>${renderStatus(arrangement, brand)}</p>
<p class="muted">${data.map((cluster) => cluster.name).join(' · ')}</p>
<p class="muted">${summariseAccounts(consent)}</p>
<p class="muted" id="agreed-${arrangement.id}">Agreed on ${formatDateTime(arrangement.from, brand)}</p>
<p class="muted">${renderLastDisclosure(consent, brand)}</p></li>`
    })}</ul>`
  return {
    title: `Your data sharing at ${brand.name}`,
    body: html`${(isFirst || active.length > 0) && html`<h2>Active</h2>`}
${active.length > 0 ? list(active) : isFirst && html`<p>You are not sharing any data.</p>`}
${ended.length > 0 && html`<h2>Ended</h2>${list(ended)}`}
${!isFirst && consents.length === 0 && html`<p>There is nothing here.</p>`}
${before !== undefined && html`<p><a href="${path}?before=${encodeURIComponent(before)}">More of your data sharing</a></p>`}
${!isFirst && html`<p><a href="${path}">Back to the start of the list</a></p>`}
<p><a href="${path}/records">Everything that was shared, with the time</a></p>
${renderForm(token, renderButtons(renderButton('Sign out', 'sign-out', 'secondary')))}`,
  }
}

/** The label of links to the list. */
export const listLabel = 'All your data sharing'

export function renderConsent(
  { brand, path }: View,
  consent: ConsentView & {
    /** Whether the customer comes from the page that stopped it. */
    readonly isStopped: boolean
  },
): Page {
  const { arrangement, name, history, isStopped } = consent
  const { id, status, scopes, until } = arrangement
  const isActive = status === 'active'
  return {
    title: `Data sharing with ${name}`,
    body: html`${
      isStopped &&
      html`<div class="notice" role="status"><p><strong>You stopped sharing with ${name}.</strong></p>
<p>${brand.name} shares nothing with ${name} under this consent any more.</p></div>`
    }
${renderFacts([
  ['Status', renderStatus(arrangement, brand)],
  [
    isActive ? 'What is shared' : 'What was shared',
    html`${renderClusters(describeData(consent, scopes))}`,
  ],
  ['Accounts', renderSharedAccounts(consent, brand)],
  [
    'When you agreed',
    html`${formatDateTime(history.given, brand)}${history.amendments.length > 0 && html`, changed since: see the history`}`,
  ],
  ['How long', html`${isActive ? 'Until' : 'You agreed until'} ${formatDateTime(until, brand)}`],
  [`What ${name} received`, renderDisclosures(consent, brand)],
  [
    `How ${name} handles it`,
    html`Ask ${name} how it uses, stores and deletes the data that you share.`,
  ],
])}
${
  isActive &&
  html`<form method="get" action="${path}/${encodeURIComponent(id)}/stop">${renderButtons(html`<button type="submit">Stop sharing</button>`)}</form>`
}
<h2>History</h2>
${renderHistory(consent, brand)}
<p><a href="${path}">${listLabel}</a></p>`,
  }
}

export function renderStop(
  { brand, token, path }: View,
  consent: Pick<ConsentView, 'arrangement' | 'name' | 'listed'> & {
    /** Whether the rules of the Consumer Data Right apply to the third party. */
    readonly isRecipient: boolean
  },
): Page {
  const { arrangement, name, isRecipient } = consent
  return {
    title: `Stop sharing with ${name}?`,
    body: html`<p>Check with ${name} before you stop sharing: services that need the data may no longer work.</p>
<h2>What is no longer shared</h2>
${renderClusters(describeData(consent, arrangement.scopes))}
<p>${summariseAccounts(consent)}</p>
<h2>What happens</h2>
<p>${brand.name} stops sharing at once. To share again, start in ${name}.</p>
${mayHaveJoint(consent) && html`<p>${jointNotice}</p>`}
<h2>Data that ${name} already has</h2>
${
  isRecipient
    ? html`<p>${name} must delete or de-identify your data when it no longer needs it, unless a law requires it to keep it. You have the right to ask ${name} to delete it instead.</p>`
    : html`<p>${name} keeps what it already received, unless you ask it to delete that. Ask ${name} what it does with data that it no longer needs.</p>`
}
${renderForm(token, renderButtons(renderButton('Stop sharing', 'withdraw', 'danger')))}
<p><a href="${path}/${encodeURIComponent(arrangement.id)}">Keep sharing</a></p>`,
  }
}

function renderDisclosures(consent: ConsentView, brand: Brand): Html {
  const { history, name } = consent
  const { disclosures } = history
  if (disclosures.length === 0) return html`${name} has not received data yet.`
  return renderItems(
    disclosures.map(({ scope, first, last }) => {
      return html`${nameData(consent, scope)}<span class="detail">${
        first.equals(last)
          ? html`On ${formatDateTime(first, brand)}`
          : html`First ${formatDateTime(first, brand)}, last ${formatDateTime(last, brand)}`
      }</span>`
    }),
  )
}

function renderLastDisclosure(consent: ListedConsent, brand: Brand): Html {
  const { lastDisclosure } = consent
  if (!lastDisclosure) return html`No data received so far`
  const { scope, last } = lastDisclosure
  return html`Last received: ${nameData(consent, scope)}, ${formatDateTime(last, brand)}`
}

function nameData(consent: Pick<ConsentView, 'arrangement' | 'listed'>, scope: string): string {
  const [cluster] = describeData(consent, [scope])
  return cluster?.name ?? scope
}

/** How many accounts a summary names. */
const namedMax = 3

function summariseAccounts({
  arrangement: { accountIds },
  listed = [],
}: Pick<ConsentView, 'arrangement' | 'listed'>): string {
  if (accountIds.length === 0) return 'No account: only data about you'
  const shared = new Set(accountIds)
  const names = listed.filter(({ id }) => shared.has(id)).map(nameAccount)
  const shown = names.slice(0, namedMax)
  const more = accountIds.length - shown.length
  const count = countAccounts(accountIds.length)
  if (shown.length === 0) return count
  return `${count}: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

export function nameAccount({ displayName, name, number = '' }: CustomerAccount): string {
  return `${displayName || name} ${number}`.trim()
}

/** Without an answer of the provider, an account may be joint. */
function mayHaveJoint({
  arrangement: { accountIds },
  listed,
}: Pick<ConsentView, 'arrangement' | 'listed'>): boolean {
  const joint = listed?.filter(({ isJoint }) => isJoint !== false).map(({ id }) => id)
  return joint ? accountIds.some((id) => joint.includes(id)) : accountIds.length > 0
}

function renderStatus({ status, until, updated }: StoredArrangement, brand: Brand): Html {
  const words = {
    active: ['Active', 'until', until],
    expired: ['Ended', 'on', until],
    withdrawn: ['Stopped', 'on', updated],
  } as const
  const [word, preposition, time] = words[status]
  return html`<span class="status ${status}">${word}</span> ${preposition} ${formatDate(time, brand)}`
}
