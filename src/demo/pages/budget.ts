import { type Html, html } from '../../platform/consent/pages/html.ts'
import type { SharedData } from '../budget.ts'
import type { Session } from '../sessions.ts'
import { renderChart } from './chart.ts'
import { countAccounts, renderEnd } from './ended.ts'
import { formatMoney, formatTime, type PageOptions, renderButton, renderPage } from './layout.ts'
import { renderTimeline } from './timeline.ts'

export function renderMessage(title: string, text: string): string {
  return renderPage(
    title,
    html`<main class="narrow"><h1>${title}</h1><p>${text}</p><p><a href="/">Back to the start</a></p></main>`,
  )
}

/** Before a consent, or after one that was cancelled. */
export function renderStart(
  { providerName, exampleEmail }: PageOptions,
  session: Session | undefined,
): string {
  const { notice, calls = [] } = session ?? {}
  return renderPage(
    'See where your money goes',
    html`<main class="${calls.length > 0 ? 'columns' : 'narrow'}">
<section aria-labelledby="title">
${notice && renderNotice(notice)}
<h1 id="title">See where your money goes</h1>
<p>Example Budget reads your accounts and transactions at ${providerName}, with your consent, and shows what comes in and what goes out.
You choose the accounts, and you can stop at any time.</p>
${renderButton('/connect', `Connect ${providerName}`)}
${
  exampleEmail !== undefined &&
  html`<p class="hint">This is a demonstration with invented customers. Try the e-mail address <code>${exampleEmail}</code>. The one-time code is shown on the page.</p>`
}
</section>
${calls.length > 0 && renderTimeline(calls)}
</main>`,
  )
}

export function renderBudget(options: PageOptions, session: Session, data: SharedData): string {
  const { notice, calls, isRefused } = session
  const { providerName, issuer } = options
  const shown = html`${renderAccounts(data)}
${renderChart(data)}
${renderMerchants(data)}`
  return renderPage(
    isRefused ? 'The sharing has ended' : 'Your budget',
    html`<main class="columns">
<section aria-labelledby="title">
${notice && renderNotice(notice)}
${
  isRefused
    ? renderEnd(options, data, shown)
    : html`<h1 id="title">${data.name === undefined ? 'Your budget' : `Budget of ${data.name}`}</h1>
<p class="muted">Connected: ${countAccounts(data)} and ${data.transactionCount} transactions from ${providerName}, read at ${formatTime(data.read)}</p>
${shown}
<h2>Your consent</h2>
<p>Withdraw it here or at <a href="${issuer}/consents">${providerName}</a>. The next call is then refused.</p>
<div class="buttons"><p><a class="button" href="/withdraw">Withdraw</a></p>${renderButton('/read', 'Read again', 'secondary')}</div>`
}
</section>
${renderTimeline(calls)}
</main>`,
  )
}

function renderNotice({ title, text }: NonNullable<Session['notice']>): Html {
  return html`<div class="notice" role="status"><p><strong>${title}</strong></p><p>${text}</p></div>`
}

function renderAccounts({ accounts, currency }: SharedData): Html {
  return html`<h2>Accounts</h2>
<table><thead><tr><th scope="col">Account</th><th scope="col" class="number">Balance (${currency})</th></tr></thead>
<tbody>${accounts.map(
    ({ displayName, maskedNumber, balance }) => html`<tr><th scope="row">${displayName}
<span class="muted">${maskedNumber}</span></th><td class="number">${
      balance
        ? html`${formatMoney(Math.round(Number(balance.currentBalance) * 100), balance.currency)}
<span class="muted">${formatMoney(Math.round(Number(balance.availableBalance) * 100), balance.currency)} available</span>`
        : 'not available'
    }</td></tr>`,
  )}</tbody></table>`
}

function renderMerchants({ merchants, currency, months }: SharedData): Html {
  if (merchants.length === 0) return html`<h2>Largest merchants</h2><p>There are no payments.</p>`
  return html`<h2>Largest merchants</h2>
<p class="muted">Payments and direct debits of the last ${months.length} months</p>
<table><thead><tr><th scope="col">Merchant</th><th scope="col" class="number">Payments</th><th scope="col" class="number">Total (${currency})</th></tr></thead>
<tbody>${merchants.map(
    ({ name, payments, cents }) =>
      html`<tr><th scope="row">${name}</th><td class="number">${payments}</td><td class="number">${formatMoney(cents, currency)}</td></tr>`,
  )}</tbody></table>`
}
