import { type Html, html } from '../../platform/consent/pages/html.ts'
import type { Month, SharedData } from '../budget.ts'
import { formatMoney, formatRounded } from './layout.ts'

const barWidth = 30
const monthWidth = 80
const height = 100
const topFactors = [1, 2, 3, 4, 6, 8]

/** Money in and out by month: a chart, a sentence, and a table. */
export function renderChart({ months, currency }: SharedData): Html {
  const top = roundUp(Math.max(...months.flatMap(({ moneyIn, moneyOut }) => [moneyIn, moneyOut])))
  const width = months.length * monthWidth
  const bar = (cents: number, left: number, kind: string) => {
    const size = (cents / top) * height
    return html`<rect class="${kind}" x="${left}" y="${(height - size).toFixed(2)}" width="${barWidth}" height="${size.toFixed(2)}"/>`
  }
  return html`<h2>Money in and out</h2>
<p id="chart-text">${describe(months, currency)}</p>
<p class="legend muted"><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="in" width="10" height="10"/></svg> in
<svg viewBox="0 0 10 10" aria-hidden="true"><rect class="out" width="10" height="10"/></svg> out · ${currency} a month</p>
<div class="plot">
<p class="axis" aria-hidden="true">${[top, top / 2, 0].map((cents) => html`<span>${formatRounded(cents, currency)}</span>`)}</p>
<svg class="chart" role="img" aria-labelledby="chart-text" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none">
${[0, height / 2, height].map((y) => html`<line x1="0" x2="${width}" y1="${y}" y2="${y}"/>`)}
${months.map(({ moneyIn, moneyOut }, index) => html`${bar(moneyIn, index * monthWidth + 8, 'in')}${bar(moneyOut, index * monthWidth + 42, 'out')}`)}
</svg>
<p class="months" aria-hidden="true">${months.map(({ start }) => html`<span>${nameMonth(start, 'short')}</span>`)}</p>
</div>
<details><summary>Show the numbers</summary>
<table><thead><tr><th scope="col">Month</th><th scope="col" class="number">In (${currency})</th><th scope="col" class="number">Out (${currency})</th></tr></thead>
<tbody>${months.map(
    ({ start, moneyIn, moneyOut }) =>
      html`<tr><th scope="row">${nameMonth(start, 'long')} ${start.slice(0, 4)}</th><td class="number">${formatMoney(moneyIn, currency)}</td><td class="number">${formatMoney(moneyOut, currency)}</td></tr>`,
  )}</tbody></table></details>`
}

/** The top of the axis: a round amount of which half is a whole number, too. */
function roundUp(cents: number): number {
  const least = Math.max(cents, 200)
  const power = 10 ** Math.floor(Math.log10(least))
  return power * (topFactors.find((factor) => least <= factor * power) ?? 10)
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
