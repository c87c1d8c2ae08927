/** Lines with columns of equal width, two spaces between them. `isNumber` tells which columns are aligned to the right. */
export function formatTable(
  rows: readonly (readonly string[])[],
  isNumber: (column: number) => boolean = () => false,
): string[] {
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  const align = (cell: string, column: number) =>
    isNumber(column) ? cell.padStart(widths?.[column] ?? 0) : cell.padEnd(widths?.[column] ?? 0)
  return rows.map((row) => row.map(align).join('  ').trimEnd())
}
