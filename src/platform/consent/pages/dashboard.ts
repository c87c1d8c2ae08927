import type { ChangeReason } from '../../../contract/consent-statuses.ts'
import type { ShareableAccount } from '../../../contract/index.ts'
import { describeScopes } from '../scopes.ts'
import type { ArrangementChange, StoredArrangement } from '../store.ts'
import { type Html, html } from './html.ts'
import {
  type Brand,
  formatDate,
  type Page,
  renderButton,
  renderButtons,
  renderForm,
  renderList,
} from './layout.ts'
import { renderEmailForm, type SignInPage } from './sign-in.ts'
import { countAccounts, renderAccountName, renderScopes } from './steps.ts'

interface View {
  readonly brand: Brand
  readonly token: string
  /** The path of the list. */
  readonly path: string
}

export interface ShownConsent {
  readonly arrangement: StoredArrangement
  /** Of the third party; undefined if it was removed. */
  readonly name: string | undefined
}

const removedName = 'A service that is no longer available'

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
  consents: readonly ShownConsent[],
): Page {
  const active = consents.filter(({ arrangement }) => arrangement.status === 'active')
  const ended = consents.filter(({ arrangement }) => arrangement.status !== 'active')
  const list = (shown: readonly ShownConsent[]) =>
    html`<ul class="consents">${shown.map(
      ({ arrangement, name = removedName }) => html`<li>
<a href="${path}/${encodeURIComponent(arrangement.id)}">${name}</a>
<span class="muted">${describeScopes(arrangement.scopes)
        .map((cluster) => cluster.name)
        .join(' · ')}</span>
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
  {
    arrangement,
    name = removedName,
    changes,
    accounts,
  }: ShownConsent & {
    readonly changes: readonly ArrangementChange[]
    /** Those that the provider lists; undefined if it does not respond. */
    readonly accounts: readonly ShareableAccount[] | undefined
  },
): Page {
  const { id, status, scopes, accountIds, from } = arrangement
  return {
    title: `Data sharing with ${name}`,
    body: html`<dl>
<dt>Status</dt><dd>${describeStatus(arrangement, brand)}</dd>
<dt>${status === 'active' ? 'What is shared' : 'What was shared'}</dt>
<dd>${renderScopes(scopes)}</dd>
<dt>Accounts</dt><dd>${renderAccountNames(accountIds.length, accounts)}</dd>
<dt>You agreed on</dt><dd>${formatDate(from, brand)}</dd>
<dt>History</dt>
<dd>${renderList(
      changes.map(
        (change) => html`${formatDate(change.time, brand)}: ${describeChange(change, name, brand)}`,
      ),
    )}</dd>
</dl>
${
  status === 'active' &&
  html`<form method="get" action="${path}/${encodeURIComponent(id)}/stop">${renderButtons(html`<button type="submit">Stop sharing</button>`)}</form>`
}
<p><a href="${path}">All your data sharing</a></p>`,
  }
}

export function renderStop(
  { brand, token, path }: View,
  { arrangement, name = removedName }: ShownConsent,
): Page {
  return {
    title: `Stop sharing with ${name}?`,
    body: html`<p>${brand.name} stops sharing at once. Services of ${name} that need the data may no longer work.</p>
<p>${name} keeps what it already received, unless you ask it to delete that. To share again, start in ${name}.</p>
${renderForm(token, renderButtons(renderButton('Stop sharing', 'withdraw')))}
<p><a href="${path}/${encodeURIComponent(arrangement.id)}">Keep sharing</a></p>`,
  }
}

function renderAccountNames(
  count: number,
  accounts: readonly ShareableAccount[] | undefined,
): Html {
  if (count === 0) return html`None: only data about you.`
  if (!accounts) return html`${countAccounts(count)}. Their names cannot be shown at the moment.`
  const missing = count - accounts.length
  return renderList([
    ...accounts.map(renderAccountName),
    ...(missing > 0 ? [html`${countAccounts(missing)}, not available now`] : []),
  ])
}

function describeStatus({ status, until, updated }: StoredArrangement, brand: Brand): string {
  if (status === 'active') return `Active until ${formatDate(until, brand)}`
  return status === 'expired'
    ? `Ended on ${formatDate(until, brand)}`
    : `Stopped on ${formatDate(updated, brand)}`
}

function describeChange({ status, reason }: ArrangementChange, name: string, brand: Brand): string {
  if (status === 'active') return 'You agreed to share'
  const texts: Readonly<Record<ChangeReason, string>> = {
    customer: 'You stopped sharing',
    operator: `${brand.name} stopped sharing`,
    third_party: `${name} stopped the sharing`,
    third_party_removed: `${brand.name} stopped sharing with ${name}`,
    code_replayed: `${brand.name} stopped sharing for security reasons`,
    amended: `You agreed to other terms with ${name}`,
    sharing_ended: 'The agreed time was over',
  }
  return texts[reason]
}
