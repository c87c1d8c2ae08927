import { renderHead } from '../../platform/consent/pages/head.ts'
import { type Html, html } from '../../platform/consent/pages/html.ts'

const files = { stylesheet: '/style.css', icon: '/icon.svg' }

export interface PageOptions {
  readonly providerName: string
  readonly issuer: string
  readonly exampleEmail: string | undefined
}

export function renderPage(title: string, body: Html): string {
  return html`${renderHead(`${title} – Example Budget`, files)}
<body>
<header><p class="brand">Example Budget</p><p class="muted">The third party of the Holdfast demo</p></header>
${body}
</body>
</html>
`.html
}

/** A button that posts to a path. */
export function renderButton(action: string, label: string, kind = ''): Html {
  return html`<form method="post" action="${action}"><button type="submit" class="${kind}">${label}</button></form>`
}

export function formatTime(time: Temporal.Instant): string {
  return time.toLocaleString('en-AU', {
    timeZone: 'UTC',
    hour: 'numeric',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  })
}

/** Of a date such as 2026-11-01. */
export function formatDate(date: string): string {
  return Temporal.PlainDate.from(date).toLocaleString('en-AU', { dateStyle: 'long' })
}

export function formatMoney(cents: number, currency: string): string {
  return (cents / 100).toLocaleString('en-AU', { style: 'currency', currency })
}

/** Without cents, for a chart. */
export function formatRounded(cents: number, currency: string): string {
  return (cents / 100).toLocaleString('en-AU', {
    style: 'currency',
    currency,
    maximumFractionDigits: 0,
  })
}
