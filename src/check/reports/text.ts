import { escapeInvisible } from '../../contract/characters.ts'
import { type CheckResult, countResults, type Exchange, type Report } from '../report.ts'

interface TextOptions {
  /** Adds colours, for a terminal. */
  readonly hasColour?: boolean
  /** Shows what was observed in checks that passed. */
  readonly isVerbose?: boolean
}

const colours = {
  pass: '\u001b[32m',
  fail: '\u001b[31m',
  skip: '\u001b[33m',
  dim: '\u001b[2m',
  off: '\u001b[0m',
}

/** A report for a terminal: the groups, every failure with its evidence, and the counts. */
export function formatTextReport(
  report: Report,
  { hasColour = false, isVerbose = false }: TextOptions = {},
): string {
  const paint = (colour: keyof typeof colours, text: string) =>
    hasColour ? colours[colour] + text + colours.off : text
  // If no check could run, the reason is the same for all.
  const isShort = report.obstacle !== undefined && !isVerbose
  const shown = report.results.filter(({ judgement }) => !isShort || judgement !== 'skip')
  const groups = [...Map.groupBy(shown, ({ group }) => group)]
  const failures = report.results.filter(({ judgement }) => judgement === 'fail')
  const { pass, fail, skip } = countResults(report)

  const lines = groups.flatMap(([group, results]) => [
    '',
    group,
    ...results.flatMap((result) => resultLines(result, paint, isVerbose)),
  ])
  const details = failures.flatMap((result) => failureLines(result, paint))
  const counts = [
    `${pass} passed`,
    fail > 0 ? paint('fail', `${fail} failed`) : '0 failed',
    `${skip} skipped`,
  ].join(', ')
  return `${[
    ...lines,
    ...details,
    '',
    `${counts}   ${report.requests} ${report.requests === 1 ? 'request' : 'requests'} in ${report.seconds} s   ${printable(report.target)}`,
    ...(skip > 0 ? [paint('dim', isShort ? skippedAll : skippedSome)] : []),
  ].join('\n')}\n`
}

const skippedSome = 'A skipped check is not a pass: each one states what was missing.'
const skippedAll = 'A skipped check is not a pass: none can run before a token is accepted.'

type Paint = (colour: keyof typeof colours, text: string) => string

function resultLines(
  { id, judgement, title, reason, seen, remark }: CheckResult,
  paint: Paint,
  isVerbose: boolean,
): string[] {
  const note = judgement === 'skip' ? reason : isVerbose && judgement === 'pass' ? seen : undefined
  return [
    `  ${paint(judgement, judgement)}  ${id}  ${title}`,
    ...(note ? [paint('dim', `        ${printable(note)}`)] : []),
    ...(remark ? [paint('skip', `        remark: ${printable(remark)}`)] : []),
  ]
}

function failureLines(result: CheckResult, paint: Paint): string[] {
  const { id, title, clause, reason = '', expected, hint, evidence } = result
  return [
    '',
    `${paint('fail', 'fail')}  ${id}  ${title}`,
    `  clause         ${clause.section}, ${clause.reference}: “${clause.quote}”`,
    ...indented('  failure        ', reason),
    ...(expected ? indented('  expected       ', expected) : []),
    ...(hint ? indented('  hint           ', hint) : []),
    ...evidence.flatMap(exchangeLines),
  ]
}

function exchangeLines({ request, response, error }: Exchange): string[] {
  const body = request.body ? [`    ${printable(request.body)}`] : []
  const received = response
    ? [`  < ${response.status}`, ...(response.body ? [`    ${printable(response.body)}`] : [])]
    : [`  < no response: ${printable(error ?? '')}`]
  const authorization = request.headers['authorization']
  return [
    `  > ${request.method} ${printable(request.url)}`,
    ...(authorization
      ? [`    authorization: ${printable(authorization)}`]
      : ['    (no authorization header)']),
    ...body,
    ...received,
  ]
}

function indented(head: string, text: string): string[] {
  const [first = '', ...rest] = text.split('\n')
  return [head + printable(first), ...rest.map((line) => ' '.repeat(head.length) + printable(line))]
}

const lengthMax = 600

/** Escapes control characters, so that text of the provider cannot control the terminal. */
export function printable(text: string): string {
  return escapeInvisible(text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text)
}
