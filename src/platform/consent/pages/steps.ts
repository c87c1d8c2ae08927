import type { ShareableAccount } from '../../../contract/index.ts'
import { describeScopes } from '../scopes.ts'
import { groupAccounts } from './account-groups.ts'
import {
  renderEmailField,
  renderPasscodeField,
  renderResend,
  renderSentPasscode,
  type SentPasscode,
} from './fields.ts'
import { type Html, html } from './html.ts'
import {
  type Brand,
  formatDate,
  type Page,
  type Problem,
  renderButtons,
  renderCancel,
  renderForm,
} from './layout.ts'

/** What a third party asks for, as every page needs it. */
export interface Asked {
  readonly thirdParty: string
  readonly scopes: readonly string[]
  /** The end of the sharing if it began now; undefined for a single access. */
  readonly until: Temporal.Instant | undefined
  /** Whether it replaces what the customer agreed to before. */
  readonly isAmendment: boolean
}

export interface StepOptions {
  readonly brand: Brand
  readonly asked: Asked
  readonly token: string
  readonly problem?: Problem | undefined
}

export function renderIdentify({ brand, asked, token, problem }: StepOptions, email: string): Page {
  return {
    title: `${asked.thirdParty} wants to see your data at ${brand.name}`,
    step: 1,
    problem,
    body: html`${renderRequest(asked, brand)}
${renderForm(
  token,
  html`${renderEmailField(brand, email, problem)}
${renderButtons('Continue', 'identify', asked.thirdParty)}`,
)}`,
  }
}

/** The same for every e-mail address, whether or not it is known. */
export function renderPasscode(
  { brand, asked, token, problem }: StepOptions,
  sent: SentPasscode,
): Page {
  return {
    title: 'Enter your one-time code',
    step: 2,
    problem,
    body: html`${renderSentPasscode(brand, sent)}
${renderForm(
  token,
  html`${renderPasscodeField(problem)}
${renderButtons('Continue', 'passcode', asked.thirdParty)}
${renderResend()}`,
)}`,
  }
}

export interface AccountChoice {
  readonly offered: readonly ShareableAccount[]
  /** Accounts of a kind that the third party does not ask for. */
  readonly excluded: readonly ShareableAccount[]
  readonly selected: ReadonlySet<string>
}

export function renderAccounts(
  { brand, asked, token, problem }: StepOptions,
  { offered, excluded, selected }: AccountChoice,
): Page {
  const groups = groupAccounts(offered)
  const [first] = groups.flatMap(({ accounts }) => accounts)
  return {
    title: `Choose the accounts to share with ${asked.thirdParty}`,
    step: 3,
    problem,
    body: html`${offered.length > 1 && renderSelectAll(token)}
${renderForm(
  token,
  html`${problem && html`<p class="error" id="accounts-error">${problem.text}</p>`}
${groups.map(
  ({ name, accounts }) => html`<fieldset><legend>${name}</legend>
${accounts.map(
  (
    account,
  ) => html`<label class="choice"><input type="checkbox" name="account" value="${account.id}"${
    account === first && html` id="accounts"${problem && html` aria-describedby="accounts-error"`}`
  }${selected.has(account.id) && html` checked`}>
<span>${renderAccountName(account)}</span></label>`,
)}</fieldset>`,
)}
${offered.length === 0 && html`<p id="accounts">You have no account that can be shared.</p>`}
${renderExcluded(excluded, asked)}
${renderButtons('Continue', 'accounts', asked.thirdParty)}`,
)}
<p class="muted">An account that is not listed here was closed, or ${brand.name} cannot share it, for example because another owner has not allowed it.</p>`,
  }
}

/** A form of its own: in the other one, Enter must not press this button. */
function renderSelectAll(token: string): Html {
  return renderForm(
    token,
    html`<button type="submit" name="action" value="select-all" class="link">Select all accounts</button>`,
  )
}

function renderExcluded(excluded: readonly ShareableAccount[], { thirdParty }: Asked): Html {
  if (excluded.length === 0) return html``
  return html`<h2>Cannot be shared</h2>
<p>${thirdParty} does not ask for data of these accounts.</p>
<ul>${excluded.map((account) => html`<li>${renderAccountName(account)}</li>`)}</ul>`
}

export function renderConfirm(
  { brand, asked, token, problem }: StepOptions,
  {
    accounts,
    email,
    page,
    id,
  }: {
    /** Of the arrangement that the page shows. */
    readonly id: string
    readonly accounts: readonly ShareableAccount[]
    readonly email: string
    /** Where the customer can withdraw. */
    readonly page: string
  },
): Page {
  return {
    title: `Share your data with ${asked.thirdParty}?`,
    step: 4,
    problem,
    body: html`${renderRequest(asked, brand)}
${asked.isAmendment && html`<p>This replaces what you agreed to share with ${asked.thirdParty} before.</p>`}
<dl>
<dt>Accounts</dt>
<dd>${
      accounts.length === 0
        ? html`None: only data about you is shared.`
        : html`<ul>${accounts.map((account) => html`<li>${renderAccountName(account)}</li>`)}</ul>`
    }</dd>
<dt>Your e-mail address at ${brand.name}</dt><dd>${email}</dd>
<dt>How to stop sharing</dt>
<dd>At any time, in ${asked.thirdParty} or at <a href="${page}">${page}</a>. ${brand.name} then stops sharing at once.</dd>
</dl>
${renderForm(
  token,
  html`<input type="hidden" name="arrangement" value="${id}">
${renderButtons('Share', 'confirm', asked.thirdParty)}
${accounts.length > 0 && html`<p><button type="submit" name="action" value="back" class="link">Change the accounts</button></p>`}`,
)}`,
  }
}

/** An error page. The interaction id lets an operator find the request in the log. */
interface ErrorOptions {
  /** The URL to try again with. */
  readonly retry?: string | undefined
  readonly interactionId?: string | undefined
  /** The form to cancel with. */
  readonly cancel?: { readonly token: string; readonly thirdParty: string } | undefined
}

export function renderError(
  title: string,
  text: string,
  { retry, interactionId, cancel }: ErrorOptions = {},
): Page {
  return {
    title,
    body: html`<p>${text}</p>
${retry !== undefined && html`<p><a href="${retry}">Try again</a></p>`}
${interactionId !== undefined && html`<p class="muted">Reference: <code>${interactionId}</code></p>`}
${cancel && renderForm(cancel.token, renderCancel(cancel.thirdParty))}`,
  }
}

/** While the database does not respond. Whether the last change was made may be unknown, so the page does not say. */
export function renderUnavailable(interactionId?: string): Page {
  const text = 'The service is temporarily unavailable. Wait a moment, then try again.'
  return renderError('Please try again', text, { retry: '', interactionId })
}

/** The customer's name for the account, followed by that of its product if it is another. */
export function renderAccountName({ displayName = '', name }: ShareableAccount): Html {
  if (displayName === '' || displayName === name) return html`${name}`
  return html`${displayName} <span class="muted">${name}</span>`
}

function renderRequest({ thirdParty, scopes, until }: Asked, brand: Brand): Html {
  return html`<h2>What</h2>
${describeScopes(scopes).map(
  ({ name, permissions }) => html`<details><summary>${name}</summary>
<ul>${permissions.map((permission) => html`<li>${permission}</li>`)}</ul></details>`,
)}
<h2>How long</h2>
<p>${
    until
      ? html`Until ${formatDate(until, brand)}. You can stop at any time.`
      : html`Once. ${thirdParty} can read the data within the next minutes, and not later.`
  }</p>`
}
