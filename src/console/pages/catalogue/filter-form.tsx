import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { values } from '../../../contract/enumerations.ts'
import { Field } from '../../components/field.tsx'
import { toLabel } from '../../labels.ts'
import { setQuery } from '../../router.ts'
import type { Filters } from './filters.ts'
import { stateLabels } from './product-state.tsx'

/** How long after the last key the list is searched. */
const debounceMs = 250

/** The controls of the list. Their values are parameters of the URL. */
export function FilterForm({
  filters,
  brands,
}: {
  readonly filters: Filters
  /** Suggestions. */
  readonly brands: readonly string[]
}) {
  const set = (name: keyof Filters) => (event: Event) =>
    setQuery({ [name]: (event.currentTarget as HTMLInputElement).value, page: undefined })
  return (
    <search class="fields">
      <SearchField text={filters.text} />
      <Field label="Category">
        {(control) => (
          <select {...control} value={filters.category} onChange={set('category')}>
            <option value="">All</option>
            {values.productCategory.map((category) => (
              <option key={category} value={category}>
                {toLabel(category)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <BrandField brand={filters.brand} brands={brands} onChange={set('brand')} />
      <Field label="State">
        {(control) => (
          <select {...control} value={filters.state} onChange={set('state')}>
            <option value="">All</option>
            {stateLabels.map(({ state, label }) => (
              <option key={state} value={state}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Order">
        {(control) => (
          <select {...control} value={filters.sort} onChange={set('sort')}>
            <option value="">Last change first</option>
            <option value="name">Name</option>
          </select>
        )}
      </Field>
    </search>
  )
}

/** What is typed stays when the list arrives meanwhile. */
function BrandField({
  brand,
  brands,
  onChange,
}: {
  readonly brand: string
  readonly brands: readonly string[]
  readonly onChange: (event: Event) => void
}) {
  const [typed, setTyped] = useState(brand)
  const listId = useId()
  useEffect(() => setTyped(brand), [brand])
  return (
    <Field label="Brand">
      {(control) => (
        <>
          <input
            {...control}
            list={listId}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
            onChange={onChange}
            autocomplete="off"
          />
          <datalist id={listId}>
            {brands.map((each) => (
              <option key={each} value={each} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}

function SearchField({ text }: { readonly text: string }) {
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
    <Field label="Search">
      {(control) => (
        <input
          {...control}
          type="search"
          placeholder="Name, brand or ID"
          maxLength={200}
          value={typed}
          onInput={(event) => search(event.currentTarget.value)}
        />
      )}
    </Field>
  )
}
