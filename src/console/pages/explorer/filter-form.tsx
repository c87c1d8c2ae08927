import type { ComponentChildren } from 'preact'
import { setQuery } from '../../router.ts'

/** The filters in the address of the view. */
export function readFilters(
  query: URLSearchParams,
  names: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])),
  )
}

/** A form whose fields are parameters of the view. */
export function FilterForm({
  query,
  names,
  read = (_, text) => text,
  isValid = () => true,
  children,
}: {
  readonly query: URLSearchParams
  readonly names: readonly string[]
  /** From the text of the input to the value of the parameter. */
  readonly read?: (name: string, text: string) => string | undefined
  /** Shows the errors of the texts, if there are any. */
  readonly isValid?: (readText: (name: string) => string) => boolean
  readonly children: ComponentChildren
}) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const readText = (name: string) => String(form.get(name) ?? '').trim()
    if (!isValid(readText)) return
    const changes = names.map((name) => [name, read(name, readText(name))])
    setQuery({ ...Object.fromEntries(changes), page: undefined })
  }
  const clear = () => setQuery(Object.fromEntries([...names, 'page'].map((name) => [name, ''])))
  return (
    <form class="filters" aria-label="Filters" onSubmit={submit} noValidate key={query.toString()}>
      <div class="fields">{children}</div>
      <p class="buttons">
        <button type="submit">Apply filters</button>
        <button type="button" class="secondary" onClick={clear}>
          Clear
        </button>
      </p>
    </form>
  )
}
