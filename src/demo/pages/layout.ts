import { type Html, html } from '../../consent/pages/html.ts'

export function renderPage(title: string, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} – Example Budget</title>
<link rel="stylesheet" href="/style.css">
<link rel="icon" href="/icon.svg">
</head>
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
