import { placeChart } from '../../design/chart.ts'
import { type Html, html } from '../../platform/consent/pages/html.ts'
import type { Month, SharedData } from '../budget.ts'
import { formatMoney, formatRounded } from './layout.ts'

/** In pixels. The page shows the drawing that fits its width, so that labels are large enough to read. */
const chartWidths = { wide: 520, narrow: 288 }

/** Money in and out by month: a chart, a sentence, and a table. */
export function renderChart({ months, currency }: SharedData): Html {
  return html`<h2>Money in and out</h2>
<p id="chart-text">${describe(months, currency)}</p>
<p class="legend muted"><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="in" width="10" height="10" rx="2"/></svg> in
<svg viewBox="0 0 10 10" aria-hidden="true"><rect class="out" width="10" height="10" rx="2"/></svg> out · ${currency} a month</p>
<div class="charts">${Object.entries(chartWidths).map(([name, width]) => renderDrawing(months, currency, name, width))}</div>
<details><summary>Show the numbers</summary>
<table><thead><tr><th scope="col">Month</th><th scope="col" class="number">In (${currency})</th><th scope="col" class="number">Out (${currency})</th></tr></thead>
<tbody>${months.map(
    ({ start, moneyIn, moneyOut }) =>
      html`<tr><th scope="row">${nameMonth(start, 'long')} ${start.slice(0, 4)}</th><td class="number">${formatMoney(moneyIn, currency)}</td><td class="number">${formatMoney(moneyOut, currency)}</td></tr>`,
  )}</tbody></table></details>`
}

function renderDrawing(
  months: readonly Month[],
  currency: string,
  name: string,
  chartWidth: number,
): Html {
  const { width, height, left, right, baseline, grid, labels, series } = placeChart(
    {
      kind: 'bars',
      positions: [...months.keys()],
      formatPosition: (index) => nameMonth(months[index]?.start ?? '', 'short'),
      format: (cents) => formatRounded(cents, currency),
      precision: 100,
      series: [
        { values: months.map(({ moneyIn }) => moneyIn) },
        { values: months.map(({ moneyOut }) => moneyOut) },
      ],
    },
    chartWidth,
  )
  return html`<svg class="chart ${name}" role="img" aria-labelledby="chart-text" viewBox="0 0 ${width} ${height}">
${grid.map(({ at, text }) => html`<line class="chart-grid" x1="${left}" x2="${right}" y1="${at}" y2="${at}"/><text x="${left - 8}" y="${at + 4}" text-anchor="end">${text}</text>`)}
<line class="chart-baseline" x1="${left}" x2="${right}" y1="${baseline}" y2="${baseline}"/>
${labels.map(({ at, text }) => html`<text x="${at}" y="${height - 6}" text-anchor="middle">${text}</text>`)}
${series.flatMap(({ bars }, order) => bars.map((bar) => html`<rect class="${order === 0 ? 'in' : 'out'}" x="${bar.x.toFixed(1)}" y="${bar.y.toFixed(1)}" width="${bar.width.toFixed(1)}" height="${bar.height.toFixed(1)}" rx="1.5"/>`))}
</svg>`
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
