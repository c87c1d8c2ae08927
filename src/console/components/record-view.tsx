/** Any JSON value as text: objects as lists of terms, lists as numbered entries. */
export function RecordView({ value }: { readonly value: unknown }) {
  if (Array.isArray(value)) return <ListView values={value} />
  if (typeof value === 'object' && value !== null) {
    return (
      <dl class="record">
        {Object.entries(value).map(([name, field]) => (
          <div key={name} class={isCompound(field) ? 'compound' : undefined}>
            <dt>{toWords(name)}</dt>
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

/** `depositRateType` is "Deposit rate type". */
export function toWords(name: string): string {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]/g, ' ')
    .toLowerCase()
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** `TRANS_AND_SAVINGS_ACCOUNTS` is "Trans and savings accounts". */
export function valueToWords(value: string): string {
  return /^[A-Z\d_]+$/.test(value) ? toWords(value) : value
}
