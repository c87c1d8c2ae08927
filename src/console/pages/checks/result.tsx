import type { ComponentChildren } from 'preact'
import { escapeInvisibleInLines } from '../../../contract/characters.ts'
import type { CheckExchange, CheckHeader, CheckResult } from '../../../contract/index.ts'
import { Badge } from '../../components/badge.tsx'
import type { Judgement } from './compare-runs.ts'

const badges = {
  pass: { kind: 'good', word: 'passed' },
  fail: { kind: 'bad', word: 'failed' },
  skip: { kind: 'warn', word: 'skipped' },
} as const

export function JudgementBadge({ judgement }: { readonly judgement: Judgement }) {
  const { kind, word } = badges[judgement]
  return <Badge kind={kind}>{word}</Badge>
}

/** A check, which opens to what was sent, expected and received, the clause and the hint. */
export function Result({ result }: { readonly result: CheckResult }) {
  const { id, title, judgement, reason, seen, expected, hint, clause, evidence } = result
  return (
    <details class="check-result">
      <summary>
        <JudgementBadge judgement={judgement} /> {title} <code class="muted">{id}</code>
      </summary>
      <div class="check-result-content">
        {reason !== undefined && <Part title="Reason">{escapeInvisibleInLines(reason)}</Part>}
        {evidence.length === 1 && evidence[0] && <Sent exchange={evidence[0]} />}
        {expected !== undefined && <Part title="Expected">{escapeInvisibleInLines(expected)}</Part>}
        {evidence.length === 1 && evidence[0] && <Received exchange={evidence[0]} />}
        {evidence.length > 1 && <Exchanges evidence={evidence} />}
        {result.isEvidenceOmitted && (
          <Part title="Sent and received">
            Left out, because the report would be too large. Run only this group to see it.
          </Part>
        )}
        {seen !== undefined && <Part title="Observed">{escapeInvisibleInLines(seen)}</Part>}
        <Part title="Clause">
          “{clause.quote}”{' '}
          <span class="muted">
            {clause.section}, {clause.reference}
          </span>
        </Part>
        {hint !== undefined && <Part title="Hint">{hint}</Part>}
      </div>
    </details>
  )
}

function Part({
  title,
  children,
}: {
  readonly title: string
  readonly children: ComponentChildren
}) {
  return (
    <>
      <h3>{title}</h3>
      <p>{children}</p>
    </>
  )
}

function Exchanges({ evidence }: { readonly evidence: readonly CheckExchange[] }) {
  return evidence.map((exchange, index) => (
    <div key={index}>
      <Sent exchange={exchange} number={index + 1} />
      <Received exchange={exchange} number={index + 1} />
    </div>
  ))
}

interface ExchangeProps {
  readonly exchange: CheckExchange
  /** Of several. */
  readonly number?: number
}

function Sent({ exchange: { request }, number }: ExchangeProps) {
  return (
    <>
      <h3>Sent{number === undefined ? '' : ` (request ${number})`}</h3>
      <pre>{formatMessage(`${request.method} ${request.url}`, request.headers, request.body)}</pre>
    </>
  )
}

function Received({ exchange: { response, error }, number }: ExchangeProps) {
  return (
    <>
      <h3>Received{number === undefined ? '' : ` (response ${number})`}</h3>
      {response ? (
        <pre>
          {formatMessage(`HTTP status ${response.status}`, response.headers, response.body)}
        </pre>
      ) : (
        <p>No response: {error}</p>
      )}
    </>
  )
}

function formatMessage(start: string, headers: readonly CheckHeader[], body?: string): string {
  const lines = headers.map(({ name, value }) => `${name}: ${value}`)
  return escapeInvisibleInLines([start, ...lines, ...(body ? ['', body] : [])].join('\n'))
}
