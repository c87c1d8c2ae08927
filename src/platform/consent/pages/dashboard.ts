import { describeScopes } from '../scopes.ts'
import type { StoredArrangement } from '../store.ts'
import { type ConsentView, renderHistory, renderSharedAccounts } from './consent-history.ts'
import { type Html, html } from './html.ts'
import {
  type Brand,
  formatDate,
  formatDateTime,
  type Page,
  renderButton,
  renderButtons,
  renderForm,
  renderList,
} from './layout.ts'
import { renderEmailForm, type SignInPage } from './sign-in.ts'
import { countAccounts, renderScopes } from './steps.ts'

export interface View {
  readonly brand: Brand
  readonly token: string
  /** The path of the list. */
  readonly path: string
}

interface ListedConsent {
  readonly arrangement: StoredArrangement
  /** Of the third party. */
  readonly name: string
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

/** Newest first. */
export function renderConsents(
  { brand, token, path }: View,
  consents: readonly ListedConsent[],
): Page {
  const active = consents.filter(({ arrangement }) => arrangement.status === 'active')
  const ended = consents.filter(({ arrangement }) => arrangement.status !== 'active')
  const list = (shown: readonly ListedConsent[]) =>
    html`<ul class="consents">${shown.map(
      ({ arrangement, name }) => html`<li>
<a href="${path}/${encodeURIComponent(arrangement.id)}">${name}</a>
<span class="muted">${describeScopes(arrangement.scopes)
        .map((cluster) => cluster.name)
        .join(' · ')}</span>
<span class="muted">${describeAccountCount(arrangement)}, agreed on ${formatDateTime(arrangement.from, brand)}</span>
<span class="muted">${describeStatus(arrangement, brand)}</span></li>`,
    )}</ul>`
  return {
    title: `Your data sharing at ${brand.name}`,
    body: html`<h2>Active</h2>
${active.length === 0 ? html`<p>You are not sharing any data.</p>` : list(active)}
${ended.length > 0 && html`<h2>Ended</h2>${list(ended)}`}
${renderForm(token, renderButtons(renderButton('Sign out', 'sign-out', 'secondary')))}`,
  }
}

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
<dl>
<dt>Status</dt><dd>${describeStatus(arrangement, brand)}</dd>
<dt>${isActive ? 'What is shared' : 'What was shared'}</dt>
<dd>${renderScopes(scopes)}</dd>
<dt>Accounts</dt><dd>${renderSharedAccounts(consent, brand)}</dd>
<dt>When you agreed</dt><dd>${formatDateTime(history.given, brand)}${
      history.amendments.length > 0 && html`, changed since: see the history`
    }</dd>
<dt>How long</dt><dd>${isActive ? 'Until' : 'You agreed until'} ${formatDate(until, brand)}</dd>
<dt>What ${name} received</dt><dd>${renderDisclosures(consent, brand)}</dd>
<dt>History</dt><dd>${renderHistory(consent, brand)}</dd>
<dt>How ${name} handles your data</dt>
<dd>Ask ${name} how it uses, stores and deletes the data that you share.</dd>
</dl>
${
  isActive &&
  html`<form method="get" action="${path}/${encodeURIComponent(id)}/stop">${renderButtons(html`<button type="submit">Stop sharing</button>`)}</form>`
}
<p><a href="${path}">All your data sharing</a></p>`,
  }
}

export function renderStop(
  { brand, token, path }: View,
  {
    arrangement,
    name,
    isRecipient,
  }: {
    readonly arrangement: StoredArrangement
    readonly name: string
    /** Whether the rules of the Consumer Data Right apply to the third party. */
    readonly isRecipient: boolean
  },
): Page {
  return {
    title: `Stop sharing with ${name}?`,
    body: html`<p>Check with ${name} before you stop sharing: services that need the data may no longer work.</p>
<h2>What happens</h2>
<p>${brand.name} stops sharing at once. To share again, start in ${name}.</p>
<h2>Data that ${name} already has</h2>
${
  isRecipient
    ? html`<p>${name} must delete or de-identify your data when it no longer needs it, unless a law requires it to keep it. You have the right to ask ${name} to delete it instead.</p>`
    : html`<p>${name} keeps what it already received, unless you ask it to delete that. Ask ${name} what it does with data that it no longer needs.</p>`
}
${renderForm(token, renderButtons(renderButton('Stop sharing', 'withdraw')))}
<p><a href="${path}/${encodeURIComponent(arrangement.id)}">Keep sharing</a></p>`,
  }
}

function renderDisclosures({ history, name }: ConsentView, brand: Brand): Html {
  const { disclosures } = history
  if (disclosures.length === 0) return html`${name} has not received data yet.`
  return renderList(
    disclosures.map(({ scope, first, last }) => {
      const [cluster] = describeScopes([scope])
      return html`${cluster?.name ?? scope}<span class="detail">First ${formatDateTime(first, brand)}, last ${formatDateTime(last, brand)}</span>`
    }),
  )
}

function describeAccountCount({ accountIds }: StoredArrangement): string {
  return accountIds.length === 0 ? 'No account' : countAccounts(accountIds.length)
}

function describeStatus({ status, until, updated }: StoredArrangement, brand: Brand): string {
  if (status === 'active') return `Active until ${formatDate(until, brand)}`
  return status === 'expired'
    ? `Ended on ${formatDate(until, brand)}`
    : `Stopped on ${formatDate(updated, brand)}`
}
