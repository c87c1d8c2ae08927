import { Field, SelectField, TextField } from '../../components/field.tsx'
import { bodyName, type FormValues, fieldName, listInputs } from './build-request.ts'
import {
  type ListedOperation,
  type OpenApiDocument,
  type Parameter,
  resolveSchema,
} from './documents.ts'
import { Prose } from './prose.tsx'

/** A field for each parameter of an operation, and one for its body. */
export function InputForm({
  document,
  operation,
  errors,
  onSubmit,
}: {
  readonly document: OpenApiDocument
  readonly operation: ListedOperation
  readonly errors: Readonly<Record<string, string>>
  readonly onSubmit: (values: FormValues) => void
}) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    onSubmit(Object.fromEntries([...form].map(([name, value]) => [name, String(value)])))
  }
  const example = operation.requestBody?.content['application/json']?.example
  return (
    <form onSubmit={submit} noValidate aria-label="Input">
      {Object.keys(errors).length > 0 && (
        <p class="error" role="alert">
          {Object.values(errors).join(' ')}
        </p>
      )}
      <div class="fields">
        {listInputs(operation).map((parameter) => (
          <ParameterField
            key={fieldName(parameter)}
            document={document}
            parameter={parameter}
            error={errors[fieldName(parameter)]}
          />
        ))}
      </div>
      {operation.requestBody && (
        <Field label="Body (JSON)" error={errors[bodyName]}>
          {(control) => (
            <textarea
              {...control}
              class="code"
              name={bodyName}
              rows={10}
              spellcheck={false}
              defaultValue={JSON.stringify(example ?? {}, null, 2)}
            />
          )}
        </Field>
      )}
      <p class="buttons">
        <button type="submit">Send</button>
      </p>
    </form>
  )
}

function ParameterField({
  document,
  parameter,
  error,
}: {
  readonly document: OpenApiDocument
  readonly parameter: Parameter
  readonly error: string | undefined
}) {
  const { schema } = resolveSchema(document, parameter.schema)
  const values = schema.type === 'boolean' ? ['true', 'false'] : schema.enum
  const field = {
    label: parameter.required ? `${parameter.name} (required)` : parameter.name,
    hint: <Prose text={parameter.description} />,
    error,
    name: fieldName(parameter),
  }
  if (values) {
    const options = values.map((value) => [value, value] as const)
    return <SelectField {...field} options={[['', 'not sent'], ...options]} />
  }
  return (
    <TextField
      {...field}
      autocomplete="off"
      spellcheck={false}
      placeholder={parameter.example === undefined ? '' : `such as ${parameter.example}`}
    />
  )
}
