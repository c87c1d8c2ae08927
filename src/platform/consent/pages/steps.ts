import type { ShareableAccount } from '../../../contract/index.ts'
import { describeScopes } from '../scopes.ts'
import { groupAccounts } from './account-groups.ts'
import { type Html, html } from './html.ts'
import {
  type Brand,
  formatDate,
  type Page,
  renderButton,
  renderButtons,
  renderForm,
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
    body: html`${renderRequest(asked, brand)}
${renderEmailForm(page, email, buttons)}`,
  }
}

export function renderPasscodeStep(page: StepPage, sent: SentPasscode): Page {
  const buttons = renderStepButtons(page.asked.thirdParty, renderButton('Continue', 'passcode'))
  return { ...renderPasscode(page, sent, buttons), step: 2 }
}

export interface AccountChoice {
  readonly offered: readonly ShareableAccount[]
  /** Accounts of a kind that the third party does not ask for. */
  readonly excluded: readonly ShareableAccount[]
  /** How many accounts of the consent to amend stay in it, although they cannot be shared now. */
  readonly keptCount: number
  readonly selected: ReadonlySet<string>
}

export function renderAccountsStep(
  { brand, asked, token, problem }: StepPage,
  { offered, excluded, keptCount, selected }: AccountChoice,
): Page {
  const groups = groupAccounts(offered)
  const [first] = groups.flatMap(({ accounts }) => accounts)
  return {
    title: `Choose the accounts to share with ${asked.thirdParty}`,
    step: 3,
    problem,
    // A form of its own: in the other one, Enter must not press this button.
    body: html`${offered.length > 1 && renderForm(token, renderButton('Select all accounts', 'select-all', 'link'))}
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
${
  excluded.length > 0 &&
  html`<h2>Cannot be shared</h2>
<p>${asked.thirdParty} does not ask for data of these accounts.</p>
${renderList(excluded.map(renderAccountName))}`
}
${
  keptCount > 0 &&
  html`<h2>Not available now</h2>
<p>${countAccounts(keptCount)} that you agreed to share with ${asked.thirdParty} before. This does not change.</p>`
}
${renderStepButtons(asked.thirdParty, renderButton('Continue', 'accounts'))}`,
)}
<p class="muted">An account that is not listed here was closed, or ${brand.name} cannot share it, for example because another owner has not allowed it.</p>`,
  }
}

export function renderConfirmStep(
  { brand, asked, token, problem }: StepPage,
  {
    accounts,
    keptCount,
    email,
    page,
    id,
  }: {
    /** Of the arrangement that the page shows. */
    readonly id: string
    readonly accounts: readonly ShareableAccount[]
    readonly keptCount: number
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
      accounts.length + keptCount === 0
        ? html`None: only data about you is shared.`
        : renderList([
            ...accounts.map(renderAccountName),
            ...(keptCount > 0 ? [html`${countAccounts(keptCount)}, not available now`] : []),
          ])
    }</dd>
<dt>Your e-mail address at ${brand.name}</dt><dd>${email}</dd>
<dt>How to stop sharing</dt>
<dd>At any time, in ${asked.thirdParty} or at <a href="${page}">${page}</a>. ${brand.name} then stops sharing at once.</dd>
</dl>
${renderForm(
  token,
  html`<input type="hidden" name="arrangement" value="${id}">
${renderStepButtons(asked.thirdParty, renderButton('Share', 'confirm'))}
${accounts.length + keptCount > 0 && html`<p>${renderButton('Change the accounts', 'back', 'link')}</p>`}`,
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

/** The customer's name for the account, followed by that of its product if it is another. */
export function renderAccountName({ displayName = '', name }: ShareableAccount): Html {
  if (displayName === '' || displayName === name) return html`${name}`
  return html`${displayName} <span class="muted">${name}</span>`
}

export function countAccounts(count: number): string {
  return count === 1 ? 'One account' : `${count} accounts`
}

/** What the customer shares, each part with its details. */
export function renderScopes(scopes: readonly string[]): Html[] {
  return describeScopes(scopes).map(
    ({ name, permissions }) => html`<details><summary>${name}</summary>
${renderList(permissions.map((permission) => html`${permission}`))}</details>`,
  )
}

function renderRequest({ thirdParty, scopes, until }: Asked, brand: Brand): Html {
  return html`<h2>What</h2>
${renderScopes(scopes)}
<h2>How long</h2>
<p>${
    until
      ? html`Until ${formatDate(until, brand)}. You can stop at any time.`
      : html`Once. ${thirdParty} can read the data within the next minutes, and not later.`
  }</p>`
}
