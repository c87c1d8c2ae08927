import { toLabel } from '../../contract/labels.ts'

/** Any JSON value as text: objects as lists of terms, lists as numbered entries. */
export function RecordView({ value }: { readonly value: unknown }) {
  if (Array.isArray(value)) return <ListView values={value} />
  if (typeof value === 'object' && value !== null) {
    return (
      <dl class="record">
        {Object.entries(value).map(([name, field]) => (
          <div key={name} class={isCompound(field) ? 'compound' : undefined}>
            <dt>{toLabel(name)}</dt>
            <dd>
              <RecordView value={field} />
            </dd>
          </div>
        ))}
      </dl>
    )
  }
  return <span>{formatScalar(value)}</span>
}

function ListView({ values }: { readonly values: readonly unknown[] }) {
  if (values.length === 0) return <span class="muted">none</span>
  if (!values.some(isCompound)) return <span>{values.map(formatScalar).join(', ')}</span>
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

function formatScalar(value: unknown): string {
  if (value === true) return 'yes'
  if (value === false) return 'no'
  return value === null ? 'null' : String(value)
}

/** `TRANS_AND_SAVINGS_ACCOUNTS` is "Transaction and savings accounts". */
export function valueToWords(value: string): string {
  return /^[A-Z\d_]+$/.test(value) ? toLabel(value) : value
}
