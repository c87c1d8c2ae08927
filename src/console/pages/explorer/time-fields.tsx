import { Field } from '../../components/field.tsx'

/** The bounds of a time window in the address of the view: RFC 3339 in UTC. */
export const timeNames = ['oldest-time', 'newest-time'] as const

/** Fields for the bounds of a time window. Browsers have no input for a zone, so they are in UTC. */
export function TimeFields({ query }: { readonly query: URLSearchParams }) {
  const labels = { 'oldest-time': 'From (UTC)', 'newest-time': 'Until (UTC)' }
  return (
    <>
      {timeNames.map((name) => (
        <Field key={name} label={labels[name]}>
          {(control) => (
            <input
              {...control}
              name={name}
              type="datetime-local"
              step="1"
              defaultValue={toLocalText(query.get(name))}
            />
          )}
        </Field>
      ))}
    </>
  )
}

/** `2026-01-01T00:00` or with seconds, as the input returns it, is a time in UTC. */
export function toTime(text: string): string | undefined {
  if (text === '') return undefined
  return /T\d\d:\d\d$/.test(text) ? `${text}:00Z` : `${text}Z`
}

function toLocalText(time: string | null): string {
  return time?.replace(/Z$/, '') ?? ''
}
