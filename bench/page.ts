import { readFileSync } from 'node:fs'
import { createTargetTable, formatMarkdown } from './report.ts'
import { onHandWritten, onLowerBound, onPostgres, onSqlite } from './requests.ts'
import type { Results, Row } from './results.ts'
import { evaluateTargets } from './targets.ts'

/** Renders `docs/explanation/performance.md`: `explanation.md` with the machine and the tables of the results. */
export function renderPage({ machine, isFull, minutes, rows }: Results): string {
  const { cores, cpu, date, memoryGigabytes, node, postgres } = machine
  const parts: Readonly<Record<string, string>> = {
    chart: '![CPU time per request by server](performance.svg)',
    command: `npm run bench -- ${isFull ? '--full ' : ''}--write`,
    machine: `Measured on ${date} in ${minutes.toFixed(0)} minutes on ${cores} cores of ${cpu} with ${memoryGigabytes} GB of memory, Node ${node} and PostgreSQL ${postgres}.`,
    requests: formatMarkdown(createRequestTable(rows)),
    targets: formatMarkdown(createTargetTable(evaluateTargets(rows))),
  }
  const text = readFileSync(new URL('explanation.md', import.meta.url), 'utf8')
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => parts[name] ?? '')
}

/** CPU time and throughput of each request, one row per request. */
function createRequestTable(rows: readonly Row[]) {
  const requests = rows.filter(({ group, figure }) => group === 'requests' && figure)
  const byName = Map.groupBy(requests, ({ name }) => name)
  return {
    title: 'Requests',
    head: ['', onLowerBound, onHandWritten, 'SQLite', 'requests/s', 'PostgreSQL', 'requests/s'],
    rows: [...byName].map(([name, servers]) => {
      const cells = (on: string) => formatFigure(servers.find((row) => row.on === on)?.figure)
      return [
        describeRequest(name, servers),
        cells(onLowerBound)[0],
        cells(onHandWritten)[0],
        ...cells(onSqlite),
        ...cells(onPostgres),
      ]
    }),
  }
}

function describeRequest(name: string, servers: readonly Row[]): string {
  const about = servers.find((row) => row.about)?.about
  const reference = name.split(/[ ,]/)[0] ?? name
  return about ? `${reference}: ${about}` : name
}

function formatFigure(figure: Row['figure']): [cpu: string, perSecond: string] {
  if (!figure) return ['', '']
  const database = figure.databaseCpu ? ` + ${figure.databaseCpu.toFixed(0)}` : ''
  return [`${figure.cpu.toFixed(0)}${database}`, figure.perSecond.toFixed(0)]
}
