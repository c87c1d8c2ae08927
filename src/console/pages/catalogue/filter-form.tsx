import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { values } from '../../../contract/enumerations.ts'
import { toLabel } from '../../../contract/labels.ts'
import { listStates } from '../../components/badge.tsx'
import { ChipInput, ChipSelect } from '../../components/field.tsx'
import { Filters as FilterGroup } from '../../components/filters.tsx'
import { setQuery } from '../../router.ts'
import type { Filters } from './filters.ts'
import { states } from './product-state.ts'

/** How long after the last key the list is searched. */
const debounceMs = 250

const categories = [
  ['', 'All'] as const,
  ...values.productCategory.map((category) => [category, toLabel(category)] as const),
]

const orders = [
  ['', 'Last change first'],
  ['name', 'Name'],
] as const

/**
 * The controls of the list. Their values are parameters of the URL. On a phone, the filters are behind a button, so that
 * the list follows the search.
 */
export function FilterForm({
  filters,
  brands,
}: {
  readonly filters: Filters
  /** Suggestions. */
  readonly brands: readonly string[]
}) {
  const { text, ...chosen } = filters
  const count = Object.values(chosen).filter((value) => value !== '').length
  return (
    <search class="toolbar">
      <SearchField text={text} />
      <FilterGroup count={count}>
        <FilterChips filters={filters} brands={brands} />
      </FilterGroup>
    </search>
  )
}

function FilterChips({ filters, brands }: Parameters<typeof FilterForm>[0]) {
  const listId = useId()
  const set = (name: keyof Filters) => (value: string) =>
    setQuery({ [name]: value, page: undefined })
  return (
    <>
      <ChipSelect
        label="Category"
        value={filters.category}
        options={categories}
        onSelect={set('category')}
      />
      <ChipInput label="Brand" value={filters.brand} list={listId} onCommit={set('brand')} />
      <datalist id={listId}>
        {brands.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
      <ChipSelect
        label="State"
        value={filters.state}
        options={listStates(states)}
        onSelect={set('state')}
      />
      <ChipSelect label="Order" value={filters.sort} options={orders} onSelect={set('sort')} />
    </>
  )
}

function SearchField({ text }: { readonly text: string }) {
  const id = useId()
  const [typed, setTyped] = useState(text)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const sent = useRef(text)
  // The back button or a link changed the URL.
  useEffect(() => {
    if (text === sent.current) return
    sent.current = text
    setTyped(text)
  }, [text])
  useEffect(() => () => clearTimeout(timer.current), [])
  const search = (value: string) => {
    setTyped(value)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      sent.current = value.trim()
      setQuery({ text: sent.current, page: undefined }, { replace: true })
    }, debounceMs)
  }
  return (
    <div class="search-box">
      <label for={id} class="visually-hidden">
        Search
      </label>
      <input
        id={id}
        type="search"
        placeholder="Search name, brand or ID"
        maxLength={200}
        value={typed}
        onInput={(event) => search(event.currentTarget.value)}
      />
    </div>
  )
}
