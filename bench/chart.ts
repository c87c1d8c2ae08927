import { onHandMade, onLimit, onPostgres, onSqlite } from './requests.ts'
import type { Results, Row } from './results.ts'

const width = 760
const labelWidth = 90
const valueWidth = 120
const barHeight = 16
const barGap = 3
const groupGap = 14
const panelGap = 34

/** The class of a bar, and how the servers are called in the chart. */
const servers = {
  [onLimit]: 'limit',
  [onSqlite]: 'sqlite',
  [onPostgres]: 'postgres',
  [onHandMade]: 'hand',
} as const

const style = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 14px }
  .quiet { fill: #59636e }
  .limit { fill: #6e7781 } .sqlite { fill: #0b62c4 } .postgres { fill: #7a3fb8 } .hand { fill: #b35900 }
  .database { opacity: 0.45 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .quiet { fill: #9198a1 }
    .limit { fill: #8b949e } .sqlite { fill: #58a6ff } .postgres { fill: #bc8cff } .hand { fill: #f0883e }
  }
`

interface Bar {
  readonly server: keyof typeof servers
  readonly amount: number
  /** What comes on top, faded: the database's own share. */
  readonly more: number
  readonly text: string
}

interface Panel {
  readonly title: string
  readonly groups: readonly { readonly name: string; readonly bars: readonly Bar[] }[]
}

/** CPU time of a page of transactions, and of every other operation against the limit. */
export function chartOf({ rows }: Pick<Results, 'rows'>): string {
  const requests = rows.filter(({ group }) => group === 'requests')
  const names = [...new Set(requests.map(({ name }) => name))]
  const isPage = (name: string) => /^B3 (ES|PS)256$/.test(name)
  const panels: Panel[] = [
    {
      title: 'B3, 25 transactions per page: CPU time per request in µs',
      groups: names.filter(isPage).map((name) => ({ name, bars: barsOf(requests, name, cpuBar) })),
    },
    {
      title: 'Other operations: CPU time relative to the lower bound',
      groups: names
        .filter((name) => !isPage(name))
        .map((name) => ({ name, bars: barsOf(requests, name, ratioBar) })),
    },
  ]
  const parts: string[] = []
  let y = 24
  parts.push(legend(y))
  y += panelGap
  for (const { title, groups } of panels) {
    parts.push(text(0, y, title, 'title'))
    y += 16
    const most = Math.max(
      ...groups.flatMap(({ bars }) => bars.map(({ amount, more }) => amount + more)),
    )
    const scale = (width - labelWidth - valueWidth) / most
    for (const { name, bars } of groups) {
      parts.push(text(0, y + barHeight - 3, name))
      for (const bar of bars) {
        parts.push(barAt(y, bar, scale))
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

function barsOf(
  rows: readonly Row[],
  name: string,
  make: (row: Row) => Omit<Bar, 'server'> | undefined,
): Bar[] {
  return (Object.keys(servers) as (keyof typeof servers)[]).flatMap((server) => {
    const row = rows.find((candidate) => candidate.name === name && candidate.on === server)
    const bar = row && make(row)
    return bar ? [{ server, ...bar }] : []
  })
}

function cpuBar({ figure, ratios }: Row): Omit<Bar, 'server'> | undefined {
  if (!figure) return undefined
  const ratio = ratios?.[onLimit]
  const { cpu, databaseCpu = 0 } = figure
  const text = [
    cpu.toFixed(0),
    ratio ? ` (${ratio.toFixed(2)} ×)` : '',
    databaseCpu ? ` and ${databaseCpu.toFixed(0)}` : '',
  ].join('')
  return { amount: cpu, more: databaseCpu, text }
}

function ratioBar({ ratios }: Row): Omit<Bar, 'server'> | undefined {
  const ratio = ratios?.[onLimit]
  return ratio === undefined ? undefined : { amount: ratio, more: 0, text: `${ratio.toFixed(2)} ×` }
}

function barAt(y: number, { server, amount, more, text: value }: Bar, scale: number): string {
  const own = amount * scale
  const rest = more * scale
  return [
    rectangle(labelWidth, y, own, servers[server]),
    more > 0 ? rectangle(labelWidth + own, y, rest, `${servers[server]} database`) : '',
    text(labelWidth + own + rest + 6, y + barHeight - 3, value),
  ].join('')
}

function legend(y: number): string {
  const entries = Object.entries(servers)
  return entries
    .map(([name, kind], index) => {
      const x = index * 165
      return rectangle(x, y - 11, 12, kind, 12) + text(x + 18, y, name)
    })
    .concat(text(18 + 4 * 165 - 45, y, 'faded: database', 'quiet'))
    .join('')
}

function rectangle(x: number, y: number, wide: number, kind: string, high = barHeight): string {
  return `<rect x="${x.toFixed(1)}" y="${y}" width="${wide.toFixed(1)}" height="${high}" class="${kind}"/>`
}

function text(x: number, y: number, content: string, kind = ''): string {
  const escaped = content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${x.toFixed(1)}" y="${y}"${kind && ` class="${kind}"`}>${escaped}</text>`
}
