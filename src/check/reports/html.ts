import { escapeInvisibleInLines } from '../../contract/characters.ts'
import { type CheckResult, countResults, type Exchange, type Report } from '../report.ts'
import { script, style } from './html-parts.ts'

/**
 * The report as a self-contained page: no network, no other file. Responses of the provider are escaped, and the
 * Content-Security-Policy allows only the page's own script.
 */
export function formatHtmlReport(report: Report): string {
  const { pass, fail, skip } = countResults(report)
  const groups = [...Map.groupBy(report.results, ({ group }) => group)]
  const verdict = fail > 0 ? `${fail} of ${report.results.length} checks failed` : 'No check failed'
  const policy = `default-src 'none'; style-src 'sha256-${style.hash}'; script-src 'sha256-${script.hash}'; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(verdict)}: ${escaped(report.target)}</title>
<style>${style.text}</style>
</head>
<body>
<header>
<h1>${escaped(verdict)}</h1>
<p>Conformance of <code>${escaped(report.target)}</code> to the interface, tested over HTTP.</p>
<dl>
${pair('Passed', pass)}${pair('Failed', fail)}${pair('Skipped', skip)}${pair('Requests', report.requests)}
${pair('Subdomain', report.subdomain)}${pair('Profile', report.profile + (report.strict ? ', strict' : ''))}
${pair('Left out intentionally', report.capabilities.join(', ') || 'nothing')}
${pair('Started', report.startedAt)}${pair('Seconds', report.seconds)}
</dl>
<p>A skipped check is not a pass: it states what was missing. Tokens are redacted, and responses are truncated.</p>
</header>
<form id="filters" hidden>
<fieldset><legend>Show</legend>
${(['fail', 'skip', 'pass'] as const).map((judgement) => `<label><input type="checkbox" name="${judgement}" checked> ${names[judgement]}</label>`).join('\n')}
<label>Search <input type="search" name="text" autocomplete="off"></label>
</fieldset>
</form>
<p id="count" role="status"></p>
<main>
${groups.map(([group, results]) => groupSection(group, results)).join('\n')}
</main>
<script>${script.text}</script>
</body>
</html>
`
}

const names = { pass: 'passed', fail: 'failed', skip: 'skipped' } as const

function groupSection(group: string, results: readonly CheckResult[]): string {
  const { pass, fail, skip } = countResults({ results })
  return `<section aria-labelledby="group-${escaped(group)}">
<h2 id="group-${escaped(group)}">${escaped(group)} <small>${pass} passed, ${fail} failed, ${skip} skipped</small></h2>
${results.map(resultDetails).join('\n')}
</section>`
}

function resultDetails(result: CheckResult): string {
  const { id, title, judgement, clause, reason, seen, remark, expected, hint, evidence } = result
  return `<details id="${escaped(id)}" class="${judgement}"${judgement === 'fail' ? ' open' : ''}>
<summary><b>${names[judgement]}${remark ? ' with a remark' : ''}</b> <code>${escaped(id)}</code> ${escaped(title)}</summary>
<dl>
${pair('Clause', `${clause.section}, ${clause.reference}: “${clause.quote}”`)}
${reason ? pair(judgement === 'fail' ? 'Failure' : 'Skipped because', reason) : ''}
${seen ? pair('Observed', seen) : ''}
${remark ? pair('Remark', remark) : ''}
${expected ? pair('Expected', expected) : ''}
${hint ? pair('Hint', hint) : ''}
</dl>
${evidence.map(exchangeBlock).join('\n')}
</details>`
}

function exchangeBlock({ request, response, error }: Exchange): string {
  const head = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
  const sent = [
    `${request.method} ${request.url}`,
    ...head,
    ...(request.body === undefined ? [] : ['', request.body]),
  ]
  const received = response
    ? [
        String(response.status),
        ...Object.entries(response.headers).map(([name, value]) => `${name}: ${value}`),
        '',
        response.body,
      ]
    : [`no response: ${error ?? ''}`]
  return `<figure>
<figcaption>Request</figcaption><pre tabindex="0">${escaped(sent.join('\n'))}</pre>
<figcaption>Response</figcaption><pre tabindex="0">${escaped(received.join('\n'))}</pre>
</figure>`
}

function pair(name: string, value: string | number): string {
  return `<div><dt>${escaped(name)}</dt><dd>${escaped(String(value))}</dd></div>`
}

/** For text and for attributes in double quotes. Invisible characters are replaced by their codes. */
function escaped(text: string): string {
  return escapeInvisibleInLines(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
