import { type Html, html } from '../../platform/consent/pages/html.ts'
import type { SharedData } from '../budget.ts'
import { formatDate, formatTime, type PageOptions, renderButton, renderPage } from './layout.ts'

/** Asks before a consent is withdrawn. */
export function renderWithdraw({ providerName }: PageOptions, data: SharedData): string {
  return renderPage(
    'Withdraw your consent',
    html`<main class="narrow">
<h1>Withdraw your consent?</h1>
<p>${providerName} stops sharing your ${countAccounts(data)} at once, and Example Budget can no longer update your budget.
What it has read stays here until you delete it. You can connect again at any time, with a new consent.</p>
<div class="buttons">${renderButton('/withdraw', 'Withdraw')}<p><a class="button secondary" href="/">Keep sharing</a></p></div>
</main>`,
  )
}

/** After the end of a consent: what the third party still has, and what it must do with it. */
export function renderEnd({ providerName }: PageOptions, data: SharedData, shown: Html): Html {
  const {
    name,
    transactionCount,
    read,
    months: [first],
  } = data
  return html`<h1 id="title">The sharing has ended</h1>
<p>${providerName} no longer shares data with Example Budget. The data that was shared before is not withdrawn with the consent.</p>
<h2>What Example Budget still has</h2>
<ul>
${name !== undefined && html`<li>your name: ${name}</li>`}
<li>${countAccounts(data)} with numbers and balances, read at ${formatTime(read)}</li>
<li>${transactionCount} transactions${first && ` since ${formatDate(first.start)}`}, and the budget that it computed from them</li>
<li>the ID of the consent, and tokens that ${providerName} no longer accepts</li>
</ul>
<h2>What it must delete</h2>
<p>All of this data. It is redundant, because no consent needs it any more: a third party must delete or de-identify redundant data, unless a law requires it to keep it
(Consumer Data Right, privacy safeguard 12). It keeps only the record that you gave and withdrew a consent.</p>
<div class="buttons">${renderButton('/delete', 'Delete my data')}${renderButton('/read', 'Try to read again', 'secondary')}${renderButton('/connect', `Connect ${providerName} again`, 'secondary')}</div>
<details><summary>Show the data that it still has</summary>
${shown}
</details>`
}

export function renderDeleted({ providerName, issuer }: PageOptions): string {
  return renderPage(
    'Your data is deleted',
    html`<main class="narrow">
<h1>Your data is deleted</h1>
<p>Example Budget has deleted your name, accounts, balances, transactions and tokens, and the record of the calls.
In production, a third party also deletes its copies, and has other recipients of the data delete theirs.</p>
<p><a href="${issuer}/consents">${providerName}</a> still shows the consent, and when it ended.</p>
<p><a class="button" href="/">Back to the start</a></p>
</main>`,
  )
}

export function countAccounts({ accounts }: SharedData): string {
  return accounts.length === 1 ? '1 account' : `${accounts.length} accounts`
}
