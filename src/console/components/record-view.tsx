import { toLabel } from '../../contract/labels.ts'
import { formatDuration, formatPercent } from '../../contract/product-units.ts'
import { formatDate, formatTime } from './time.tsx'

/**
 * Any JSON value as text: objects as lists of terms, lists as numbered entries. Rates and durations are in the units of
 * people, with the value of the record behind them.
 */
export function RecordView({
  value,
  name = '',
}: {
  readonly value: unknown
  /** Of the field. */
  readonly name?: string
}) {
  if (Array.isArray(value)) return <ListView values={value} />
  if (typeof value === 'object' && value !== null) {
    return (
      <dl class="record">
        {Object.entries(value).map(([key, field]) => (
          <div key={key} class={isCompound(field) ? 'compound' : undefined}>
            <dt>{toLabel(key)}</dt>
            <dd>
              <RecordView value={field} name={key} />
            </dd>
          </div>
        ))}
      </dl>
    )
  }
  return <span>{formatScalar(value, name)}</span>
}

function ListView({ values }: { readonly values: readonly unknown[] }) {
  if (values.length === 0) return <span class="muted">none</span>
  if (!values.some(isCompound))
    return <span>{values.map((value) => formatScalar(value)).join(', ')}</span>
  return (
    <ol class="record-list">
      {values.map((value, index) => (
        <li key={index}>
          <RecordView value={value} />
        </li>
      ))}
    </ol>
  )
}

function isCompound(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isCompound)
  return typeof value === 'object' && value !== null
}

/** The names of fields whose values are words of the interface. */
const enumerated =
  /([tT]ype|[sS]tatus|[cC]ategory|[mM]ethod|Ownership|[fF]requency|[cC]lass|[cC]harge)$/

function formatScalar(value: unknown, name = ''): string {
  if (value === true) return 'yes'
  if (value === false) return 'no'
  if (value === null) return 'null'
  const text = String(value)
  if (/^\d{4}-\d\d-\d\d(T.*(Z|[+-]\d\d:\d\d))?$/.test(text) && !Number.isNaN(Date.parse(text))) {
    return text.length > 10 ? formatTime(text) : formatDate(text)
  }
  const words = /^rate$|Rate$/.test(name) ? formatPercent(text) : formatDuration(text)
  if (words !== undefined) return `${words} (${text})`
  return enumerated.test(name) ? valueToWords(text) : text
}

/** `TRANS_AND_SAVINGS_ACCOUNTS` is "Transaction and savings accounts". */
export function valueToWords(value: string): string {
  return /^[A-Z\d_]+$/.test(value) ? toLabel(value) : value
}
