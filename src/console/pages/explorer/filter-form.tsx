import { useState } from 'preact/hooks'
import { LinkButton } from '../../components/button.tsx'
import { ChipInput, ChipSelect } from '../../components/field.tsx'
import { Filters } from '../../components/filters.tsx'
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

/** Controls whose values are parameters of the view. */
export function FilterForm({
  query,
  filters,
}: {
  readonly query: URLSearchParams
  readonly filters: readonly Filter[]
}) {
  const [invalid, setInvalid] = useState<string>()
  const set = (filter: Filter, text: string) => {
    const isInvalid = filter.kind === 'decimal' && !decimal.test(text || '0')
    if (isInvalid) setInvalid(filter.name)
    else if (invalid === filter.name) setInvalid(undefined)
    if (!isInvalid) setQuery({ [filter.name]: toParameter(filter, text), page: undefined })
  }
  const chosen = filters.filter(({ name }) => query.has(name))
  const clear = () =>
    setQuery(
      Object.fromEntries(['page', ...chosen.map(({ name }) => name)].map((name) => [name, ''])),
    )
  return (
    <search class="toolbar" aria-label="Filters">
      <Filters count={chosen.length}>
        {filters.map((filter) =>
          filter.kind === 'pageSize' ? (
            <PageSizeChip
              key={filter.name}
              {...filter}
              size={readPageSize(query)}
              onSelect={(size) => set(filter, size)}
            />
          ) : (
            <ChipInput
              key={filter.name}
              label={nameFilter(filter)}
              {...inputs[filter.kind]}
              aria-invalid={invalid === filter.name ? true : undefined}
              value={toText(filter, query.get(filter.name) ?? '')}
              onCommit={(text) => set(filter, text)}
            />
          ),
        )}
        {chosen.length > 0 && <LinkButton onClick={clear}>Clear</LinkButton>}
        {invalid !== undefined && (
          <p class="error" role="alert">
            Enter a decimal, such as -12.50.
          </p>
        )}
      </Filters>
    </search>
  )
}

/** A time is in the zone of the data provider, since browsers have no input for a zone. */
function nameFilter({ name, kind }: Filter): string {
  return kind === 'time' ? `${labelPath(name)} (${nameZone()})` : labelPath(name)
}

function PageSizeChip({
  name,
  size,
  onSelect,
}: Filter & { readonly size: number; readonly onSelect: (size: string) => void }) {
  const sizes = [...new Set([...pageSizes, size])].sort((a, b) => a - b).map(String)
  return (
    <ChipSelect
      label={labelPath(name)}
      value={String(size)}
      standard={String(pageSizeStandard)}
      options={sizes.map((each) => [each, each])}
      onSelect={onSelect}
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
