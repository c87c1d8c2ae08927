import { useState } from 'preact/hooks'
import { Field } from '../../components/field.tsx'
import { navigate } from '../../router.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Finds a rejected request by the id that its client received. */
export function Lookup({ value = '' }: { readonly value?: string }) {
  const [text, setText] = useState(value)
  const [error, setError] = useState<string>()
  const find = (event: Event) => {
    event.preventDefault()
    const id = text.trim()
    if (uuid.test(id)) navigate(`/console/monitoring/rejections/${id}`)
    else setError('Enter the UUID in the header x-fapi-interaction-id of the response.')
  }
  return (
    <form class="lookup" onSubmit={find} noValidate>
      <Field
        label="Interaction ID"
        hint="The x-fapi-interaction-id of the response, which is also in the log."
        error={error}
      >
        {(control) => (
          <input
            {...control}
            type="text"
            autocomplete="off"
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        )}
      </Field>
      <button type="submit">Find</button>
    </form>
  )
}
