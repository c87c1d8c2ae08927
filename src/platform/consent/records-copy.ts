import type { DescribedRecord } from '../../contract/index.ts'
import { formatCsvRow } from '../../disclosures/csv.ts'
import { html } from './pages/html.ts'

const columns = ['Time', 'Service', 'Data', 'Result', 'Records', 'Accounts', 'From', 'To'] as const

const copyTitle = 'Everything that was shared'

/** What a copy begins with, each of its records, and its end. */
export interface CopyFormat {
  readonly start: string
  readonly format: (record: DescribedRecord) => string
  readonly end: string
}

/** For a spreadsheet. */
export const csvCopy: CopyFormat = {
  start: formatCsvRow(columns),
  format: (record) => formatCsvRow(listCells(record)),
  end: '',
}

/** A whole document, to print or to send. */
export function openHtmlCopy(customerId: string): CopyFormat {
  const start = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${copyTitle}</title>
<style>
:root { color-scheme: light dark; }
body { max-width: 75rem; margin: 0 auto; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .4rem; border-bottom: 1px solid; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
</style>
</head>
<body>
<h1>${copyTitle}</h1>
<p>Customer: ${customerId}. Each time a service asked for the data of the customer, oldest first.</p>
<table>
<thead><tr>${columns.map((title) => html`<th>${title}</th>`)}</tr></thead>
<tbody>`
  return {
    start: start.html,
    format: (record) =>
      html`
<tr>${listCells(record).map((cell) => html`<td>${cell}</td>`)}</tr>`.html,
    end: `
</tbody>
</table>
</body>
</html>
`,
  }
}

/** A copy of a list of records. */
export function formatCopy(
  { start, format, end }: CopyFormat,
  records: readonly DescribedRecord[],
): string {
  return start + records.map(format).join('') + end
}

function listCells(record: DescribedRecord): readonly (string | number)[] {
  const { localTime, service, data, result, records, accounts, from = '', to = '' } = record
  return [localTime, service, data, result, records, accounts.join('; '), from, to]
}
