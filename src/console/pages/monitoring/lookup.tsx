import { useState } from 'preact/hooks'
import { readForm, TextField } from '../../components/field.tsx'
import { navigate } from '../../router.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Finds a rejected request by the id that its client received. */
export function Lookup({ value = '' }: { readonly value?: string }) {
  const [error, setError] = useState<string>()
  const find = (event: SubmitEvent) => {
    const id = readForm(event)('interaction-id')
    if (uuid.test(id)) navigate(`/console/monitoring/rejections/${id}`)
    else setError('Enter the UUID in the header x-fapi-interaction-id of the response.')
  }
  return (
    <form class="lookup" onSubmit={find} noValidate>
      <TextField
        label="Interaction ID"
        hint="The x-fapi-interaction-id of the response, which is also in the log."
        error={error}
        name="interaction-id"
        type="text"
        autocomplete="off"
        spellcheck={false}
        defaultValue={value}
      />
      <button type="submit">Find</button>
    </form>
  )
}
