import { type PageFiles, renderHead } from './head.ts'
import { type Html, html } from './html.ts'

/** How the pages look, by settings. */
export interface Brand extends PageFiles {
  readonly name: string
  /** The URL of the logo. */
  readonly logo?: string | undefined
  /** The time zone of times on the pages. */
  readonly timeZone: string
}

export interface Problem {
  /** The id of the field. */
  readonly field: string
  readonly text: string
  /** Whether it disappears as soon as the field is filled in correctly. */
  readonly isCorrectable?: boolean | undefined
}

export interface Page {
  readonly title: string
  readonly body: Html
  readonly step?: number | undefined
  readonly problem?: Problem | undefined
}

export const stepCount = 4

/** A whole page. It contains no script and no style: the content security policy allows neither. */
export function renderLayout(brand: Brand, { title, body, step, problem }: Page): string {
  const heading = problem ? `Error: ${title}` : title
  return html`${renderHead(`${heading} – ${brand.name}`, brand)}
<body>
<header>
<p class="brand">${brand.logo !== undefined && html`<img src="${brand.logo}" alt="" height="32"> `}${brand.name}</p>
${step !== undefined && html`<p class="step">Step ${step} of ${stepCount}</p>`}
</header>
<main${problem?.isCorrectable && html` class="correctable"`}>
${
  problem &&
  html`<div class="problem" role="alert" aria-labelledby="problem-title">
<h2 id="problem-title">There is a problem</h2>
<p><a href="#${problem.field}">${problem.text}</a></p>
</div>`
}
<h1>${title}</h1>
${body}
</main>
<footer><p>${brand.name} never asks for your banking password here. No service needs your password to get the data that you share with it.</p></footer>
</body>
</html>
`.html
}

/** The buttons at the end of a form; the first one is the action of the page. */
export function renderButtons(...buttons: readonly Html[]): Html {
  return html`<div class="buttons">${buttons}</div>`
}

export function renderButton(label: string, action: string, look = ''): Html {
  return html`<button type="submit" name="action" value="${action}"${look && html` class="${look}"`}>${label}</button>
`
}

/** The last buttons of a step: what cancelling the flow means is said below them. */
export function renderStepButtons(thirdParty: string, ...buttons: readonly Html[]): Html {
  return html`${renderButtons(...buttons, renderButton('Cancel', 'cancel', 'secondary'))}
<p class="muted">If you cancel, nothing is shared and you return to ${thirdParty}.</p>`
}

export function renderList(items: readonly Html[]): Html {
  return html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`
}

/** Items of several lines each, such as accounts with their numbers. */
export function renderItems(items: readonly Html[]): Html {
  return html`<ul class="items">${items.map((item) => html`<li>${item}</li>`)}</ul>`
}

/** A label and what it stands for. */
export type Fact = readonly [label: string, value: Html]

export function renderFacts(facts: readonly Fact[]): Html {
  return html`<dl class="facts">${facts.map(
    ([label, value]) => html`<div><dt>${label}</dt>
<dd>${value}</dd></div>
`,
  )}</dl>`
}

/** A form that posts to the page itself. The first button is the one that Enter presses. */
export function renderForm(token: string, content: Html): Html {
  return html`<form method="post" autocomplete="off" novalidate>
<input type="hidden" name="token" value="${token}">
${content}
</form>`
}

/** The day of a time, or a day, which no time zone changes. */
export function formatDate(
  time: Temporal.Instant | Temporal.PlainDate,
  { timeZone }: Brand,
): string {
  return time.toLocaleString('en-AU', { timeZone, dateStyle: 'long' })
}

/** With the name of the zone, since the customer may be in another. */
export function formatTime(time: Temporal.Instant, brand: Brand): Html {
  const style = { hour: 'numeric', minute: '2-digit', second: '2-digit' } as const
  return renderTime(time, brand, style)
}

export function formatDateTime(time: Temporal.Instant, brand: Brand): Html {
  const style = { day: 'numeric', month: 'long', year: 'numeric' } as const
  return renderTime(time, brand, { ...style, hour: 'numeric', minute: '2-digit' })
}

function renderTime(
  time: Temporal.Instant,
  { timeZone }: Brand,
  style: Intl.DateTimeFormatOptions,
): Html {
  const text = time.toLocaleString('en-AU', { timeZone, ...style }).replace(' at ', ', ')
  const exact = time.toString({ smallestUnit: 'second' })
  return html`<time datetime="${exact}">${text} (${timeZone})</time>`
}
