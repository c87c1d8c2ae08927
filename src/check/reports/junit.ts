import { type CheckResult, countResults, type Exchange, type Report } from '../report.ts'

/** The report as JUnit XML with one test case per check, for CI servers. */
export function formatJunitReport(report: Report): string {
  const { fail, skip } = countResults(report)
  const suites = [...Map.groupBy(report.results, ({ group }) => group)].map(([group, results]) => {
    const counts = countResults({ results })
    return [
      `  <testsuite name="${escaped(group)}" tests="${results.length}" failures="${counts.fail}" skipped="${counts.skip}">`,
      ...results.map(testCase),
      '  </testsuite>',
    ].join('\n')
  })
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="holdfast check ${escaped(report.target)}" tests="${report.results.length}" failures="${fail}" skipped="${skip}" time="${report.seconds}" timestamp="${escaped(report.startedAt)}">`,
    ...suites,
    '</testsuites>',
  ].join('\n')}\n`
}

function testCase(result: CheckResult): string {
  const { id, group, title, judgement, reason = '', seen, remark } = result
  const head = `    <testcase classname="${escaped(group)}" name="${escaped(`${id}: ${title}`)}"`
  switch (judgement) {
    case 'fail':
      return `${head}><failure message="${escaped(reason.split('\n', 1)[0] ?? '')}">${escaped(formatDetails(result))}</failure></testcase>`
    case 'skip':
      return `${head}><skipped message="${escaped(reason)}"/></testcase>`
    case 'pass': {
      const output = [seen, remark && `remark: ${remark}`].filter(Boolean).join('\n')
      return output ? `${head}><system-out>${escaped(output)}</system-out></testcase>` : `${head}/>`
    }
  }
}

function formatDetails({ clause, reason, expected, hint, evidence }: CheckResult): string {
  return [
    `${clause.section}, ${clause.reference}: ${clause.quote}`,
    reason,
    ...(expected ? [`expected: ${expected}`] : []),
    ...(hint ? [`hint: ${hint}`] : []),
    ...evidence.flatMap(formatExchange),
  ].join('\n')
}

function formatExchange({ request, response, error }: Exchange): string[] {
  return [
    `> ${request.method} ${request.url}${request.body ? ` ${request.body}` : ''}`,
    response ? `< ${response.status} ${response.body}` : `< no response: ${error ?? ''}`,
  ]
}

/** XML allows most control characters neither raw nor escaped. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
