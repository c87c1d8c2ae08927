import { readFileSync } from 'node:fs'
import { peakRates, peakRows } from './peak.ts'
import { createTargetTable, formatMarkdown } from './report.ts'
import { onHandWritten, onLowerBound, onPostgres, onPracticalBound, onSqlite } from './requests.ts'
import type { Results, Row } from './results.ts'
import { evaluateTargets } from './targets.ts'

/** Renders `docs/explanation/performance.md`: `explanation.md` with the machine and the tables of the results. */
export function renderPage({ machine, isFull, runs, minutes, rows }: Results): string {
  const { cores, cpu, date, memoryGigabytes, node, postgres } = machine
  const parts: Readonly<Record<string, string>> = {
    chart: '![CPU time per request by server](performance.svg)',
    command: `npm run bench -- ${isFull ? '--full ' : ''}--write`,
    machine: `Measured on ${date} in ${runs} runs and ${minutes.toFixed(0)} minutes on ${cores} cores of ${cpu} with ${memoryGigabytes} GB of memory, Node ${node} and PostgreSQL ${postgres}.`,
    peak: describePeak(rows),
    requests: formatMarkdown(createRequestTable(rows)),
    targets: formatMarkdown(createTargetTable(evaluateTargets(rows))),
  }
  const text = readFileSync(new URL('explanation.md', import.meta.url), 'utf8')
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => parts[name] ?? '')
}

/** The mean response time of all data holders, which the ACCC publishes. */
const sectorMeanMs = 331

/** In the words of a data holder. */
function describePeak(rows: readonly Row[]): string {
  const find = (role: keyof typeof peakRows) =>
    [onSqlite, onPostgres]
      .map((on) => rows.find((row) => row.name === peakRows[role] && row.on === on)?.value?.amount)
      .map((ms) => ms?.toFixed(1) ?? '–')
      .join(' and ')
  const { provider, platform } = peakRates
  return `At the highest load that the Consumer Data Standards expect of a data holder, ${provider} requests with a token and ${platform} public ones per second, 95 % of the requests for transactions are answered within ${find('provider')} ms on SQLite and PostgreSQL, and 95 % of those for public products within ${find('platform')} ms. [The sector](https://www.cdr.gov.au/performance) publishes a mean of ${sectorMeanMs} ms, which includes the core systems and networks of its data holders.`
}

/** CPU time and throughput of each request, one row per request. */
function createRequestTable(rows: readonly Row[]) {
  const requests = rows.filter(({ group }) => group === 'requests')
  const byName = Map.groupBy(requests, ({ name }) => name)
  const others = [onLowerBound, onPracticalBound, onHandWritten]
  return {
    title: 'Requests',
    head: ['', ...others, 'SQLite', 'requests/s', 'PostgreSQL', 'requests/s'],
    rows: [...byName.values()].map((servers) => {
      const find = (on: string) => servers.find((row) => row.on === on)
      return [
        servers[0]?.about ?? '',
        ...others.map((on) => find(on)?.figure?.cpu.toFixed(0) ?? ''),
        ...[onSqlite, onPostgres].flatMap((on) => formatFigure(find(on))),
      ]
    }),
  }
}

function formatFigure(row: Row | undefined): [cpu: string, perSecond: string] {
  if (!row?.figure) return ['', '']
  const { cpu, databaseCpu, perSecond } = row.figure
  const database = databaseCpu ? ` + ${databaseCpu.toFixed(0)}` : ''
  return [`${cpu.toFixed(0)}${database}`, perSecond.toFixed(0)]
}
