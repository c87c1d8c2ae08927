import { onHandWritten, onLowerBound, onPostgres, onPracticalBound, onSqlite } from './requests.ts'
import type { Results, Row } from './results.ts'

const width = 760
const labelWidth = 170
const valueWidth = 120
const barHeight = 16
const barGap = 3
const groupGap = 14
const panelGap = 34

/** The CSS class of each server. */
const servers = {
  [onLowerBound]: 'limit',
  [onPracticalBound]: 'practical',
  [onSqlite]: 'sqlite',
  [onPostgres]: 'postgres',
  [onHandWritten]: 'hand',
} as const

const style = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 14px }
  .quiet { fill: #59636e }
  .limit { fill: #6e7781 } .practical { fill: #1a7f37 } .sqlite { fill: #0b62c4 } .postgres { fill: #7a3fb8 } .hand { fill: #b35900 }
  .database { opacity: 0.45 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .quiet { fill: #9198a1 }
    .limit { fill: #8b949e } .practical { fill: #3fb950 } .sqlite { fill: #58a6ff } .postgres { fill: #bc8cff } .hand { fill: #f0883e }
  }
`

interface Bar {
  readonly server: keyof typeof servers
  readonly amount: number
  /** CPU time of the database, drawn faded. */
  readonly databaseAmount: number
  readonly text: string
}

interface Panel {
  readonly title: string
  readonly groups: readonly { readonly name: string; readonly bars: readonly Bar[] }[]
}

/** Renders the CPU time of B3, and the ratio of the other operations to the lower bound. */
export function renderChart({ rows }: Pick<Results, 'rows'>): string {
  const requests = rows.filter(({ group }) => group === 'requests')
  const names = [...new Set(requests.map(({ name }) => name))]
  const isPage = (name: string) => /^B3 (ES|PS)256/.test(name)
  const panels: Panel[] = [
    {
      title: 'B3, 25 transactions per page: CPU time per request in µs',
      groups: names
        .filter(isPage)
        .map((name) => ({ name, bars: createBars(requests, name, cpuBar) })),
    },
    {
      title: 'Other operations: CPU time relative to the lower bound',
      groups: names
        .filter((name) => !isPage(name))
        .map((name) => ({ name, bars: createBars(requests, name, ratioBar) })),
    },
  ]
  const parts: string[] = []
  let y = 24
  parts.push(legend(y))
  y += panelGap + 20
  for (const { title, groups } of panels) {
    parts.push(text(0, y, title, 'title'))
    y += 16
    const max = Math.max(
      ...groups.flatMap(({ bars }) =>
        bars.map(({ amount, databaseAmount }) => amount + databaseAmount),
      ),
    )
    const scale = (width - labelWidth - valueWidth) / max
    for (const { name, bars } of groups) {
      parts.push(text(0, y + barHeight - 3, name))
      for (const bar of bars) {
        parts.push(renderBar(y, bar, scale))
        y += barHeight + barGap
      }
      y += groupGap
    }
    y += panelGap - groupGap
  }
  const height = y
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="CPU time per request">`,
    `<style>${style}</style>`,
    ...parts,
    '</svg>\n',
  ].join('\n')
}

function createBars(
  rows: readonly Row[],
  name: string,
  createBar: (row: Row) => Omit<Bar, 'server'> | undefined,
): Bar[] {
  return (Object.keys(servers) as (keyof typeof servers)[]).flatMap((server) => {
    const row = rows.find((candidate) => candidate.name === name && candidate.on === server)
    const bar = row && createBar(row)
    return bar ? [{ server, ...bar }] : []
  })
}

function cpuBar({ figure, ratios }: Row): Omit<Bar, 'server'> | undefined {
  if (!figure) return undefined
  const ratio = ratios?.[onLowerBound]
  const { cpu, databaseCpu = 0 } = figure
  const text = [
    cpu.toFixed(0),
    ratio ? ` (${ratio.toFixed(2)} ×)` : '',
    databaseCpu ? ` and ${databaseCpu.toFixed(0)}` : '',
  ].join('')
  return { amount: cpu, databaseAmount: databaseCpu, text }
}

function ratioBar({ ratios }: Row): Omit<Bar, 'server'> | undefined {
  const ratio = ratios?.[onLowerBound]
  return ratio === undefined
    ? undefined
    : { amount: ratio, databaseAmount: 0, text: `${ratio.toFixed(2)} ×` }
}

function renderBar(
  y: number,
  { server, amount, databaseAmount, text: value }: Bar,
  scale: number,
): string {
  const ownWidth = amount * scale
  const databaseWidth = databaseAmount * scale
  return [
    rectangle(labelWidth, y, ownWidth, servers[server]),
    databaseAmount > 0
      ? rectangle(labelWidth + ownWidth, y, databaseWidth, `${servers[server]} database`)
      : '',
    text(labelWidth + ownWidth + databaseWidth + 6, y + barHeight - 3, value),
  ].join('')
}

function legend(y: number): string {
  const entries = Object.entries(servers)
  return entries
    .map(([name, className], index) => {
      const x = index * 150
      return rectangle(x, y - 11, 12, className, 12) + text(x + 18, y, name)
    })
    .concat(text(0, y + 20, 'faded: database', 'quiet'))
    .join('')
}

function rectangle(
  x: number,
  y: number,
  width: number,
  className: string,
  height = barHeight,
): string {
  return `<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${height}" class="${className}"/>`
}

function text(x: number, y: number, content: string, className = ''): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${x.toFixed(1)}" y="${y}"${className && ` class="${className}"`}>${escaped}</text>`
}
