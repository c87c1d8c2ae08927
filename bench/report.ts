import { type Group, groups, type Judged, type Results, type Row } from './results.ts'

/** A table as text: the cells of its head, and those of each row. */
export interface Table {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export const titles: Readonly<Record<Group, string>> = {
  requests: 'Requests',
  growth: 'Growth with the data',
  workers: 'Workers',
  overload: 'Overload',
  load: 'Loading',
  process: 'Startup and memory',
  parts: 'Components',
}

/** Every group as a table, those of requests with more columns. */
export function tablesOf({ rows, targets }: Pick<Results, 'rows' | 'targets'>): Table[] {
  const tables = groups.flatMap((group) => {
    const own = rows.filter((row) => row.group === group)
    if (own.length === 0) return []
    const isOfRequests = own.some(({ figure }) => figure)
    return [{ title: titles[group], ...(isOfRequests ? requestTable(own) : valueTable(own)) }]
  })
  return [...tables, targetTable(targets)]
}

function requestTable(rows: readonly Row[]): Omit<Table, 'title'> {
  return {
    head: ['', 'on', 'CPU µs', 'database µs', 'ratio', 'requests/s', 'p50 ms', 'p99 ms'],
    rows: rows.map(({ name, on, figure, ratios }) => [
      name,
      on,
      figure?.cpu.toFixed(0) ?? '',
      figure?.databaseCpu?.toFixed(0) ?? '',
      ratioText(ratios),
      figure?.perSecond.toFixed(0) ?? '',
      figure?.p50.toFixed(1) ?? '',
      figure?.p99.toFixed(1) ?? '',
    ]),
  }
}

function valueTable(rows: readonly Row[]): Omit<Table, 'title'> {
  return {
    head: ['', 'on', 'value', 'ratio'],
    rows: rows.map(({ name, on, value, ratios }) => [
      name,
      on,
      value ? `${numberText(value.amount)} ${value.unit}` : '',
      ratioText(ratios),
    ]),
  }
}

function targetTable(targets: readonly Judged[]): Table {
  return {
    title: 'Targets',
    head: ['', 'at most', 'measured', ''],
    rows: targets.map(({ figure, most, unit, at }) => [
      figure,
      `${most} ${unit}`,
      at === undefined ? '' : `${unit === '×' ? at.toFixed(2) : numberText(at)} ${unit}`,
      at === undefined ? 'not measured' : at <= most ? 'met' : 'not met',
    ]),
  }
}

function ratioText(ratios: Row['ratios']): string {
  return Object.entries(ratios ?? {})
    .map(([against, ratio]) => `${ratio.toFixed(2)} × ${against}`)
    .join(', ')
}

function numberText(amount: number): string {
  return amount < 10 ? amount.toFixed(2) : Math.round(amount).toLocaleString('en')
}

/** For a terminal. */
export function printed({ title, head, rows }: Table): string {
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0
        return isNumber(rows, column) ? cell.padStart(width) : cell.padEnd(width)
      })
      .join('  ')
      .trimEnd()
  return [title, '', line(head), ...rows.map(line), ''].join('\n')
}

export function markdown({ head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rule = head.map((_, column) => (isNumber(rows, column) ? '---:' : '---'))
  return [line(head), `|${rule.join('|')}|`, ...rows.map(line)].join('\n')
}

function isNumber(rows: Table['rows'], column: number): boolean {
  return rows.every((row) => /^([\d,.]+( \S+)?)?$/.test(row[column] ?? ''))
}
