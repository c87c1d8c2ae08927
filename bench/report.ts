import { type Group, groups, type Row, type TargetResult } from './results.ts'

export interface Table {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

const titles: Readonly<Record<Group, string>> = {
  requests: 'Requests',
  peak: 'Peak load',
  growth: 'Growth with the data',
  overload: 'Overload',
  load: 'Loading',
  feeds: 'Feeds',
  guard: 'Guard',
  process: 'Startup and memory',
  records: 'Records of answers',
  workers: 'Workers',
}

/** Creates one table per group. */
export function createTables(rows: readonly Row[]): Table[] {
  return groups.flatMap((group) => {
    const groupRows = rows.filter((row) => row.group === group)
    if (groupRows.length === 0) return []
    const hasFigures = groupRows.some(({ figure }) => figure)
    return [
      { title: titles[group], ...(hasFigures ? requestTable(groupRows) : valueTable(groupRows)) },
    ]
  })
}

function requestTable(rows: readonly Row[]): Omit<Table, 'title'> {
  return {
    head: ['', 'on', 'CPU µs', 'database µs', 'ratio', 'requests/s', 'p50 ms', 'p99 ms'],
    rows: rows.map(({ name, on, figure, ratios }) => [
      name,
      on,
      figure?.cpu.toFixed(0) ?? '',
      figure?.databaseCpu?.toFixed(0) ?? '',
      formatRatios(ratios),
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
      value ? `${formatNumber(value.amount)} ${value.unit}` : '',
      formatRatios(ratios),
    ]),
  }
}

/** One row per target, with the measured value on each engine, its spread over the runs, and whether it is met. */
export function createTargetTable(targets: readonly TargetResult[]): Table {
  return {
    title: 'Targets',
    head: ['', 'at most', 'SQLite', 'PostgreSQL'],
    rows: targets.map((target) => [
      target.about,
      `${target.most} ${target.unit}`,
      ...[0, 1].map((engine) => formatMeasured(target, engine)),
    ]),
  }
}

function formatMeasured({ most, unit, measured }: TargetResult, engine: number): string {
  if (engine >= measured.length) return ''
  const found = measured[engine]
  if (!found) return 'not measured'
  const format = (value: number) => (unit === '×' ? value.toFixed(2) : formatNumber(value))
  const { value, spread } = found
  const range = spread ? ` (${spread.map(format).join('–')})` : ''
  return `${format(value)}${range}${value <= most ? '' : ', not met'}`
}

function formatRatios(ratios: Row['ratios']): string {
  return Object.entries(ratios ?? {})
    .map(([baseline, ratio]) => `${ratio.toFixed(2)} × ${baseline}`)
    .join(', ')
}

function formatNumber(amount: number): string {
  return amount < 10 ? amount.toFixed(2) : Math.round(amount).toLocaleString('en')
}

/** Formats a table for a terminal. */
export function formatText({ title, head, rows }: Table): string {
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0
        return isNumeric(rows, column) ? cell.padStart(width) : cell.padEnd(width)
      })
      .join('  ')
      .trimEnd()
  return [title, '', line(head), ...rows.map(line), ''].join('\n')
}

export function formatMarkdown({ head, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const separator = head.map((_, column) => (isNumeric(rows, column) ? '---:' : '---'))
  return [line(head), `|${separator.join('|')}|`, ...rows.map(line)].join('\n')
}

function isNumeric(rows: Table['rows'], column: number): boolean {
  return rows.every((row) => /^([\d,.]+( \S+)?)?$/.test(row[column] ?? ''))
}
