import { type Html, html } from '../../platform/consent/pages/html.ts'
import type { Month, SharedData } from '../budget.ts'
import { formatMoney, formatRounded } from './layout.ts'

const barWidth = 30
const monthWidth = 80
const height = 100

/** Money in and out by month: a chart, a sentence, and a table. */
export function renderChart({ months, currency }: SharedData): Html {
  const largest = Math.max(1, ...months.flatMap(({ moneyIn, moneyOut }) => [moneyIn, moneyOut]))
  const bar = (cents: number, left: number, kind: string) => {
    const size = (cents / largest) * height
    return html`<rect class="${kind}" x="${left}" y="${(height - size).toFixed(2)}" width="${barWidth}" height="${size.toFixed(2)}"/>`
  }
  return html`<h2>Money in and out</h2>
<p id="chart-text">${describe(months, currency)}</p>
<p class="legend muted"><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="in" width="10" height="10"/></svg> in
<svg viewBox="0 0 10 10" aria-hidden="true"><rect class="out" width="10" height="10"/></svg> out · the line at the top is ${formatRounded(largest, currency)}</p>
<svg class="chart" role="img" aria-labelledby="chart-text" viewBox="0 0 ${months.length * monthWidth} ${height}" preserveAspectRatio="none">
${months.map(({ moneyIn, moneyOut }, index) => html`${bar(moneyIn, index * monthWidth + 8, 'in')}${bar(moneyOut, index * monthWidth + 42, 'out')}`)}
</svg>
<p class="months" aria-hidden="true">${months.map(({ start }) => html`<span>${nameMonth(start, 'short')}</span>`)}</p>
<details><summary>Show the numbers</summary>
<table><thead><tr><th scope="col">Month</th><th scope="col" class="number">In (${currency})</th><th scope="col" class="number">Out (${currency})</th></tr></thead>
<tbody>${months.map(
    ({ start, moneyIn, moneyOut }) =>
      html`<tr><th scope="row">${nameMonth(start, 'long')} ${start.slice(0, 4)}</th><td class="number">${formatMoney(moneyIn, currency)}</td><td class="number">${formatMoney(moneyOut, currency)}</td></tr>`,
  )}</tbody></table></details>`
}

function describe(months: readonly Month[], currency: string): string {
  const average = (read: (month: Month) => number) =>
    formatRounded(
      Math.round(months.reduce((sum, month) => sum + read(month), 0) / months.length),
      currency,
    )
  return `In the last ${months.length} months, ${average(({ moneyIn }) => moneyIn)} came in and ${average(({ moneyOut }) => moneyOut)} went out in an average month. Transfers between own accounts are not counted.`
}

function nameMonth(start: string, style: 'short' | 'long'): string {
  return Temporal.PlainDate.from(start).toLocaleString('en-AU', { month: style })
}
