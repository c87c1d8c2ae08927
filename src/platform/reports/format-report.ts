import type { RegulatoryReport, ReportedBrand } from '../../contract/index.ts'
import { formatCsvRow } from '../../disclosures/csv.ts'
import { type Html, html } from '../consent/pages/html.ts'

/** What the data holder adds: Holdfast has no record of complaints. */
export const complaintFields = [
  'Complaints of consumers received',
  'Complaints of each type, by the types of the complaints process',
  'Complaints resolved',
  'Average number of days to resolve a complaint in internal dispute resolution',
  'Complaints referred to external dispute resolution',
  'Complaints resolved in external dispute resolution',
  'Complaints of accredited persons and other data holders received',
] as const

const productNote =
  'Calls of Get Products and Get Product Detail, whatever the answer. From the counts of calls by day, which are kept for two years.'
const productsGone = 'Not available: the counts of calls by day are kept for two years.'
const consumerNote =
  'Requests with a valid access token for data of a customer, whatever the answer. From the disclosure records.'

/** Of its text, nothing depends on when the report is made, once the period is finished. */
export function describePeriod({ firstDay, lastDay, timeZone }: RegulatoryReport): string {
  return `${formatDay(firstDay)} to ${formatDay(lastDay)} (${timeZone})`
}

export const describeState = ({ isFinished }: RegulatoryReport): string =>
  isFinished ? 'Finished' : 'Unfinished: the numbers can grow until a day after the period'

export function describeProof({ records: { fault, ...counted } }: RegulatoryReport): string {
  const { records, blocks, chains } = counted
  const counts = `${count(records, 'record')} in ${count(blocks, 'block')} of ${count(chains, 'chain')}`
  return fault === undefined
    ? `${counts}. Each block has its hash and follows the one before it.`
    : `${counts}. The records are not as they were written: ${fault}.`
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`

/** The numbers of a brand, with what they count. */
export function listRequests(
  brand: ReportedBrand,
): readonly (readonly [title: string, count: number | undefined, note: string])[] {
  const { productDataRequests: products, errors } = brand
  const failed = errors.reduce((sum, { count }) => sum + count, 0)
  return [
    ['Product data requests', products, products === undefined ? productsGone : productNote],
    ['Consumer data requests', brand.consumerDataRequests, consumerNote],
    ['answered with data', brand.disclosed, 'Part of the consumer data requests.'],
    [
      'not refused, with an error',
      failed,
      'Part of the consumer data requests: invalid requests, and failures.',
    ],
    [
      'not answered',
      brand.notSent,
      'Part of the consumer data requests: the record was stored too late, and the answer was a 503.',
    ],
  ]
}

export function formatReportCsv(report: RegulatoryReport): string {
  const { period, firstDay, lastDay, timeZone, isFinished, brands, records } = report
  const about = [period, firstDay, lastDay, timeZone, isFinished ? 'finished' : 'unfinished']
  const rows = brands.flatMap((brand) => {
    const row = (item: string, count: number | undefined, details: readonly string[] = []) => {
      const [rule = '', standard = '', circumstance = '', error = '', limit = ''] = details
      const named = [...about, brand.name, brand.id ?? '', item]
      return formatCsvRow([...named, rule, standard, circumstance, error, limit, count ?? ''])
    }
    return [
      ...listRequests(brand).map(([title, count]) => row(title, count)),
      ...brand.refusals.map(({ data, count, ...refusal }) => {
        const { rule, standard = '', circumstance, code = '', limit = '' } = refusal
        const details = [rule, standard, circumstance, code, limit]
        return row(`Refusals to disclose ${data} data`, count, details)
      }),
      ...brand.errors.map(({ error, code = error, count }) =>
        row('Errors that are no refusals', count, ['', '', '', code]),
      ),
      ...complaintFields.map((field) => row(field, undefined)),
    ]
  })
  const proof = formatCsvRow([
    ...about,
    '',
    '',
    'Records',
    '',
    '',
    '',
    records.fault ?? '',
    records.digest,
    records.records,
  ])
  return formatCsvRow(columns) + rows.join('') + proof
}

const columns = [
  ...['Period', 'First day', 'Last day', 'Time zone', 'State', 'Brand', 'Brand ID', 'Item'],
  ...['Rule', 'Standard', 'Circumstance', 'Error', 'Limit', 'Number'],
]

/** A whole document, to print or to send. */
export function formatReportHtml(report: RegulatoryReport): string {
  const { period, brands, records } = report
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Report ${period}</title>
<style>
:root { color-scheme: light dark; }
body { max-width: 60rem; margin: 0 auto; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .4rem; border-bottom: 1px solid; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td.blank { min-width: 6rem; border: 2px dashed; }
small { display: block; }
</style>
</head>
<body>
<h1>Report ${period}</h1>
<p>${describePeriod(report)}</p>
<p><strong>${describeState(report)}.</strong></p>
${brands.map(renderBrand)}
<h2>Records</h2>
<p>${describeProof(report)}</p>
<p>Digest of the last block of each chain: <code>${records.digest}</code></p>
</body>
</html>
`.html
}

function renderBrand(brand: ReportedBrand): Html {
  const { name, id, refusals, errors } = brand
  return html`<h2>${name}</h2>
${id !== undefined && html`<p>Data Holder Brand ID: <code>${id}</code></p>`}
<h3>Requests</h3>
<table>
<thead><tr><th>Item</th><th>Number</th></tr></thead>
<tbody>${listRequests(brand).map(
    ([title, count, note]) => html`
<tr><td>${title}<small>${note}</small></td>${renderCount(count)}</tr>`,
  )}
</tbody>
</table>
<h3>Refusals, by the rule or standard relied upon</h3>
${
  refusals.length === 0
    ? html`<p>None.</p>`
    : html`<table>
<thead><tr><th>Rule or standard</th><th>Data</th><th>Circumstance</th><th>Number</th></tr></thead>
<tbody>${refusals.map(
        ({ rule, standard, data, circumstance, code, limit, count }) => html`
<tr><td>Rule ${rule}${standard && html`<small>${standard}</small>`}</td><td>${data}</td><td>${circumstance}${code && html`<small>${code}</small>`}${limit && html`<small>limit ${limit}</small>`}</td>${renderCount(count)}</tr>`,
      )}
</tbody>
</table>`
}
<h3>Errors that are no refusals</h3>
${
  errors.length === 0
    ? html`<p>None.</p>`
    : html`<table>
<thead><tr><th>Error</th><th>Status</th><th>Number</th></tr></thead>
<tbody>${errors.map(
        ({ error, code, status, count }) => html`
<tr><td>${code ?? error}</td><td>${status}</td>${renderCount(count)}</tr>`,
      )}
</tbody>
</table>`
}
<h3>Complaints</h3>
<p>To be filled in by the data holder: Holdfast has no records of complaints.</p>
<table>
<thead><tr><th>Item</th><th>Number</th></tr></thead>
<tbody>${complaintFields.map(
    (field) => html`
<tr><td>${field}</td><td class="blank" aria-label="To be filled in"></td></tr>`,
  )}
</tbody>
</table>`
}

const renderCount = (count: number | undefined): Html =>
  html`<td class="number">${count?.toLocaleString('en-AU') ?? '–'}</td>`

function formatDay(day: string): string {
  const date = new Date(`${day}T00:00:00Z`)
  return date.toLocaleDateString('en-AU', { dateStyle: 'long', timeZone: 'UTC' })
}
