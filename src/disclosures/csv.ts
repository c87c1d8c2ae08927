/** A row of comma-separated values. Spreadsheets would run a text that begins like a formula. */
export function formatCsvRow(values: readonly (string | number | boolean)[]): string {
  return `${values.map(formatCell).join(',')}\r\n`
}

function formatCell(value: string | number | boolean): string {
  const text = String(value)
  const safe = typeof value === 'string' && /^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
