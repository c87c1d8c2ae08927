import { type Html, html } from '../../platform/consent/pages/html.ts'
import {
  type Fields,
  listSteps,
  type Phase,
  phases,
  type RecordedCall,
  type ShownToken,
} from '../timeline.ts'

const phaseTitles: Readonly<Record<Phase, string>> = {
  request: 'Example Budget asks',
  consent: 'The customer decides',
  tokens: 'Example Budget gets tokens',
  data: 'Data is shared',
  withdrawal: 'The consent is withdrawn',
}

/** Every call along the way, oldest first, below the step that caused it. */
export function renderTimeline(calls: readonly RecordedCall[]): Html {
  const shown = phases
    .map((phase) => ({ phase, steps: listSteps(calls, phase) }))
    .filter(({ steps }) => steps.length > 0)
  return html`<section class="timeline" aria-labelledby="timeline-title">
<h2 id="timeline-title">What happened</h2>
<p class="muted">${calls.length} calls between the customer, the third party (Example Budget), the platform and the provider. The calls that a step caused are below it. Open one to see its request and the claims of its tokens.</p>
${shown.map(
  ({ phase, steps }) => html`<h3>${phaseTitles[phase]}</h3>
<ol>${steps.map(
    ({ call, caused }) => html`<li>${renderCall(call)}
${caused.length > 0 && html`<ol>${caused.map((each) => html`<li>${renderCall(each)}</li>`)}</ol>`}</li>`,
  )}</ol>`,
)}
</section>`
}

function renderCall(call: RecordedCall): Html {
  const { from, to, title, rule, method, url, sent, tokens, received, status, ms } = call
  const isBad = status === undefined ? method !== undefined && ms !== undefined : status >= 400
  return html`<details><summary>
<span class="parties">${from} <span aria-hidden="true">→</span><span class="hidden">to</span> ${to}</span>
<span class="outcome">${(status !== undefined || isBad) && html`<span class="${isBad ? 'status bad' : 'status'}">${status ?? 'no response'}</span>`}${ms !== undefined && html` <span class="ms">${formatMs(ms)}</span>`}</span>
<span class="title">${title}</span>
</summary>
<p>${rule}</p>
${method !== undefined && html`<p><code>${method} ${url}</code></p>`}
${renderFields('Sent', sent)}
${(tokens ?? []).map(renderToken)}
${renderFields('Received', received)}
</details>`
}

function renderFields(title: string, fields: Fields | undefined): Html | undefined {
  if (!fields || fields.length === 0) return undefined
  return html`<h4>${title}</h4><dl>${fields.map(([name, value]) => html`<dt>${name}</dt><dd><code>${value}</code></dd>`)}</dl>`
}

function renderToken({ name, header, claims }: ShownToken): Html {
  return html`<h4>${name}</h4>
<pre tabindex="0">${JSON.stringify(header)}
${JSON.stringify(claims, null, 2)}</pre>`
}

function formatMs(ms: number): string {
  return ms < 10 ? `${ms.toFixed(1)} ms` : `${Math.round(ms)} ms`
}
