import { escapeInvisibleInLines } from '../../../contract/characters.ts'
import type { CheckExchange, CheckHeader, CheckResult } from '../../../contract/index.ts'
import { StateBadge } from '../../components/badge.tsx'
import type { Titled } from '../../components/page-heading.tsx'

export const judgements = {
  pass: ['good', 'Passed'],
  fail: ['bad', 'Failed'],
  skip: ['warn', 'Skipped'],
} as const

/** A check, which opens to what was sent, expected and received, the clause and the hint. */
export function Result({ result }: { readonly result: CheckResult }) {
  const { id, title, judgement, reason, seen, remark, expected, hint, clause, evidence } = result
  const single = evidence.length === 1 ? evidence[0] : undefined
  return (
    <details class="check-result">
      <summary>
        <StateBadge label={judgements[judgement]} /> {title} <code class="muted">{id}</code>
        {remark !== undefined && ' (with a remark)'}
      </summary>
      <div class="check-result-content">
        {reason !== undefined && <Part title="Reason">{escapeInvisibleInLines(reason)}</Part>}
        {single && <Sent exchange={single} />}
        {expected !== undefined && <Part title="Expected">{escapeInvisibleInLines(expected)}</Part>}
        {single && <Received exchange={single} />}
        {!single &&
          evidence.map((exchange, index) => (
            <div key={index}>
              <Sent exchange={exchange} number={index + 1} />
              <Received exchange={exchange} number={index + 1} />
            </div>
          ))}
        {result.isEvidenceOmitted && (
          <Part title="Sent and received">
            Left out, because the report would be too large. Run only this group to see it.
          </Part>
        )}
        {seen !== undefined && <Part title="Observed">{escapeInvisibleInLines(seen)}</Part>}
        {remark !== undefined && <Part title="Remark">{remark}</Part>}
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

function Part({ title, children }: Titled) {
  return (
    <>
      <h3>{title}</h3>
      <p>{children}</p>
    </>
  )
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
