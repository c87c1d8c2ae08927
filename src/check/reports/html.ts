import { escapeInvisibleInLines } from '../../contract/characters.ts'
import { type CheckResult, countsOf, type Exchange, type Report } from '../report.ts'
import { script, style } from './html-parts.ts'

/**
 * The report as one page that needs nothing else: no network, no other file. What a provider answered is
 * text in it, whatever it looks like; the page's own script is the only one that its policy lets run.
 */
export function htmlReport(report: Report): string {
  const { pass, fail, skip } = countsOf(report)
  const groups = [...Map.groupBy(report.results, ({ group }) => group)]
  const verdict = fail > 0 ? `${fail} of ${report.results.length} checks failed` : 'Nothing failed'
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
<p>Whether <code>${escaped(report.target)}</code> keeps the interface, as seen from outside.</p>
<dl>
${pair('Passed', pass)}${pair('Failed', fail)}${pair('Skipped', skip)}${pair('Requests', report.requests)}
${pair('Subdomain', report.subdomain)}${pair('Profile', report.profile + (report.strict ? ', strict' : ''))}
${pair('Left out on purpose', report.capabilities.join(', ') || 'nothing')}
${pair('Started', report.startedAt)}${pair('Seconds', report.seconds)}
</dl>
<p>A skip is not a pass: it says what was missing to judge. Tokens are not shown, and answers are cut.</p>
</header>
<form id="filters" hidden>
<fieldset><legend>Show</legend>
${(['fail', 'skip', 'pass'] as const).map((judgement) => `<label><input type="checkbox" name="${judgement}" checked> ${names[judgement]}</label>`).join('\n')}
<label>Look for <input type="search" name="text" autocomplete="off"></label>
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
  const { pass, fail, skip } = countsOf({ results })
  return `<section aria-labelledby="group-${escaped(group)}">
<h2 id="group-${escaped(group)}">${escaped(group)} <small>${pass} passed, ${fail} failed, ${skip} skipped</small></h2>
${results.map(resultDetails).join('\n')}
</section>`
}

function resultDetails(result: CheckResult): string {
  const { id, title, judgement, clause, reason, seen, expected, hint, evidence } = result
  return `<details id="${escaped(id)}" class="${judgement}"${judgement === 'fail' ? ' open' : ''}>
<summary><b>${names[judgement]}</b> <code>${escaped(id)}</code> ${escaped(title)}</summary>
<dl>
${pair('The interface', `${clause.section}, ${clause.reference}: “${clause.quote}”`)}
${reason ? pair(judgement === 'fail' ? 'What is wrong' : 'Why it was skipped', reason) : ''}
${seen ? pair('Seen', seen) : ''}
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
  const answered = response
    ? [
        String(response.status),
        ...Object.entries(response.headers).map(([name, value]) => `${name}: ${value}`),
        '',
        response.body,
      ]
    : [`no answer: ${error ?? ''}`]
  return `<figure>
<figcaption>Sent</figcaption><pre tabindex="0">${escaped(sent.join('\n'))}</pre>
<figcaption>Answered</figcaption><pre tabindex="0">${escaped(answered.join('\n'))}</pre>
</figure>`
}

function pair(name: string, value: string | number): string {
  return `<div><dt>${escaped(name)}</dt><dd>${escaped(String(value))}</dd></div>`
}

/** For text and for attributes in double quotes alike. Invisible characters are shown as their codes. */
function escaped(text: string): string {
  return escapeInvisibleInLines(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
