import type { Exchange, Report } from '../../check/report.ts'
import type { CheckExchange, CheckHeader, CheckReport, CheckResult } from '../../contract/index.ts'

/** The evidence of a report, in characters of JSON. The rest of a report has a limit for each text. */
const evidenceLengthMax = 1024 * 1024

/** The report as JSON. Evidence beyond the limit is left out, and marked. */
export function formatReport(report: Report, lengthMax = evidenceLengthMax): string {
  let left = lengthMax
  const results = report.results.map(({ clause, evidence, ...result }): CheckResult => {
    const exchanges = evidence.map(toCheckExchange)
    const { length } = JSON.stringify(exchanges)
    if (length > left) return { ...result, clause, evidence: [], isEvidenceOmitted: true }
    left -= length
    return { ...result, clause, evidence: exchanges }
  })
  return JSON.stringify({
    ...report,
    capabilities: [...report.capabilities],
    results,
  } satisfies CheckReport)
}

function toCheckExchange({ request, response, error }: Exchange): CheckExchange {
  return {
    request: { ...request, headers: toCheckHeaders(request.headers) },
    ...(response && { response: { ...response, headers: toCheckHeaders(response.headers) } }),
    ...(error !== undefined && { error }),
  }
}

function toCheckHeaders(headers: Readonly<Record<string, string>>): CheckHeader[] {
  return Object.entries(headers).map(([name, value]) => ({ name: name.toLowerCase(), value }))
}
