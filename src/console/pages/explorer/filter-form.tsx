import { useState } from 'preact/hooks'
import { SecondaryButton } from '../../components/button.tsx'
import { readForm, SelectField, TextField } from '../../components/field.tsx'
import { nameZone } from '../../components/time.tsx'
import { labelPath } from '../../explain-problem.ts'
import { readCount, setQuery } from '../../router.ts'
import { timeZone } from '../../session.ts'
import { fromLocal, toLocal } from '../../zoned-time.ts'

/** A filter of a list. Its name is that of a parameter of the view and of the operation. */
export interface Filter {
  readonly name: string
  readonly kind: keyof typeof inputs | 'pageSize'
}

const inputs = {
  text: { maxLength: 1000, autocomplete: 'off' },
  decimal: { inputMode: 'text', autocomplete: 'off' },
  date: { type: 'date' },
  time: { type: 'datetime-local', step: '1' },
} as const

/** The bounds of a time window. */
export const timeFilters: readonly Filter[] = [
  { name: 'oldest-time', kind: 'time' },
  { name: 'newest-time', kind: 'time' },
]

const pageSizes = [10, 25, 100, 1000]
const pageSizeStandard = 25
const decimal = /^-?\d{1,32}(\.\d{1,32})?$/

const readPageSize = (query: URLSearchParams) =>
  readCount(query, 'page-size', 1000) ?? pageSizeStandard

/** The filters in the address of the view, as parameters of the operation. */
export function readFilters(
  query: URLSearchParams,
  filters: readonly Filter[],
): Readonly<Record<string, string | number>> {
  const entries = filters.map(({ name, kind }) => [
    name,
    kind === 'pageSize' ? readPageSize(query) : query.get(name),
  ])
  return Object.fromEntries(entries.filter(([, value]) => value))
}

/** A form whose fields are parameters of the view. */
export function FilterForm({
  query,
  filters,
}: {
  readonly query: URLSearchParams
  readonly filters: readonly Filter[]
}) {
  const [invalid, setInvalid] = useState<readonly Filter[]>([])
  const submit = (event: SubmitEvent) => {
    const read = readForm(event)
    const wrong = filters.filter(
      ({ name, kind }) => kind === 'decimal' && !decimal.test(read(name) || '0'),
    )
    setInvalid(wrong)
    if (wrong.length > 0) return
    const changes = filters.map((filter) => [filter.name, toParameter(filter, read(filter.name))])
    setQuery({ ...Object.fromEntries(changes), page: undefined })
  }
  const clear = () =>
    setQuery(
      Object.fromEntries(['page', ...filters.map(({ name }) => name)].map((name) => [name, ''])),
    )
  return (
    <form class="filters" aria-label="Filters" onSubmit={submit} noValidate>
      <div class="fields">
        {filters.map((filter) =>
          filter.kind === 'pageSize' ? (
            <PageSizeField key={filter.name} {...filter} size={readPageSize(query)} />
          ) : (
            <TextField
              key={filter.name}
              label={nameFilter(filter)}
              error={invalid.includes(filter) ? 'Enter a decimal, such as -12.50.' : undefined}
              name={filter.name}
              {...inputs[filter.kind]}
              defaultValue={toText(filter, query.get(filter.name) ?? '')}
            />
          ),
        )}
      </div>
      <p class="buttons">
        <button type="submit">Apply filters</button>
        <SecondaryButton onClick={clear}>Clear</SecondaryButton>
      </p>
    </form>
  )
}

/** A time is in the zone of the data provider, since browsers have no input for a zone. */
function nameFilter({ name, kind }: Filter): string {
  return kind === 'time' ? `${labelPath(name)} (${nameZone()})` : labelPath(name)
}

function PageSizeField({ name, size }: Filter & { readonly size: number }) {
  const sizes = [...new Set([...pageSizes, size])].sort((a, b) => a - b).map(String)
  return (
    <SelectField
      label={labelPath(name)}
      name={name}
      value={String(size)}
      options={sizes.map((each) => [each, each])}
    />
  )
}

/** A time is RFC 3339 in the address, and without the zone in its control. */
function toText({ kind }: Filter, value: string): string {
  const time = kind === 'time' ? Date.parse(value) : Number.NaN
  return Number.isNaN(time) ? value : toLocal(timeZone.value, time)
}

function toParameter({ kind }: Filter, text: string): string | undefined {
  if (kind === 'pageSize') return text === String(pageSizeStandard) ? undefined : text
  return kind === 'time' && text !== '' ? fromLocal(timeZone.value, text) : text
}
