import type { CustomerRecord, RecordPage } from '../customer-records.ts'
import { listLabel, type View } from './dashboard.ts'
import { html } from './html.ts'
import { type Brand, formatDate, formatDateTime, type Page } from './layout.ts'

/** What was shared with third parties, and what was refused. Newest first. */
export function renderRecords(
  { brand, path }: View,
  { records, before }: Pick<RecordPage, 'before'> & { readonly records: readonly CustomerRecord[] },
): Page {
  return {
    title: 'Everything that was shared',
    body: html`<p>Each time a service asked ${brand.name} for your data, newest first.</p>
${records.length === 0 && html`<p>There is nothing ${before === undefined ? 'yet' : 'here'}.</p>`}
<ul class="consents">${records.map(
      ({ time, name, data, problem, count, accounts, oldest, newest }) => html`<li>
<p><strong>${name}</strong></p>
<p>${formatDateTime(time, brand)}</p>
<p>${problem === undefined ? html`Received: ${data}` : html`Asked for: ${data}. ${problem}.`}</p>
${
  problem === undefined &&
  html`<p class="muted">${count} ${count === 1 ? 'record' : 'records'}${
    accounts.length > 0 && html` of ${accounts.join('; ')}`
  }${oldest !== undefined && html`, ${formatPeriod(oldest, newest, brand)}`}</p>`
}</li>`,
    )}</ul>
${before !== undefined && html`<p><a href="${path}/records?before=${before}">Earlier</a></p>`}
<p>Save a copy <a href="${path}/records.html">to print or to send (HTML)</a> or <a href="${path}/records.csv">for a spreadsheet (CSV)</a></p>
<p><a href="${path}">${listLabel}</a></p>`,
  }
}

function formatPeriod(oldest: string, newest: string | undefined, brand: Brand) {
  const from = `from ${formatDay(oldest, brand)}`
  return newest === undefined ? from : `${from} to ${formatDay(newest, brand)}`
}

const dayLength = '2026-06-01'.length

/** A time, or a date, which has no time zone. What is neither, in a changed block, is shown as it is. */
function formatDay(text: string, brand: Brand): string {
  const { Instant, PlainDate } = Temporal
  try {
    return formatDate(text.length > dayLength ? Instant.from(text) : PlainDate.from(text), brand)
  } catch {
    return text
  }
}
