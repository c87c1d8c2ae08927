import { useState } from 'preact/hooks'
import { type OpenApiDocument, resolveSchema, type Schema } from './documents.ts'
import { Prose } from './prose.tsx'

interface SchemaProps {
  readonly document: OpenApiDocument
  readonly schema: Schema
}

/** A schema with its fields. Nested records are shown when they are opened, so that recursion ends. */
export function SchemaView({ document, schema }: SchemaProps) {
  const { name, schema: resolved } = resolveSchema(document, schema)
  const { properties = {}, required = [], items, anyOf } = resolved
  const fields = Object.entries(properties)
  return (
    <div class="schema">
      <p>
        <span class="schema-type">{describeType(document, schema)}</span>{' '}
        {resolved.description && <Prose text={resolved.description} />}
      </p>
      {fields.length > 0 && (
        <ul>
          {fields.map(([field, type]) => (
            <FieldView
              key={field}
              name={field}
              isRequired={required.includes(field)}
              document={document}
              schema={type}
            />
          ))}
        </ul>
      )}
      {items && <Nested title="Each element" document={document} schema={items} />}
      {anyOf?.map((branch, index) => (
        <Nested key={index} title={`Option ${index + 1}`} document={document} schema={branch} />
      ))}
      {resolved.enum && <Values values={resolved.enum} />}
      {resolved['if'] !== undefined && <Conditions label={name ?? 'record'} schema={resolved} />}
    </div>
  )
}

function FieldView({
  name,
  isRequired,
  document,
  schema,
}: SchemaProps & { readonly name: string; readonly isRequired: boolean }) {
  const { schema: resolved } = resolveSchema(document, schema)
  const { description = '', deprecated, default: standard } = resolved
  return (
    <li>
      <code class="field-name">{name}</code>{' '}
      <span class="schema-type">{describeType(document, schema)}</span>
      {isRequired && <strong> required</strong>}
      {deprecated === true && <span class="muted"> deprecated</span>}
      {standard !== undefined && <span class="muted"> default: {String(standard)}</span>}{' '}
      <Prose text={description} />
      {isCompound(resolved) && (
        <Nested title={`Fields of ${name}`} document={document} schema={schema} />
      )}
      {resolved.enum && <Values values={resolved.enum} />}
    </li>
  )
}

function isCompound({ properties = {}, items, anyOf }: Schema): boolean {
  const isList = items !== undefined && (items.$ref !== undefined || isCompound(items))
  return Object.keys(properties).length > 0 || isList || anyOf !== undefined
}

function Nested({ title, ...props }: SchemaProps & { readonly title: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && <SchemaView {...props} />}
    </details>
  )
}

const valuesShownMax = 8

function Values({ values }: { readonly values: readonly string[] }) {
  const list = values.map((value, index) => (
    <span key={value}>
      {index > 0 && ', '}
      <code>{value}</code>
    </span>
  ))
  if (values.length <= valuesShownMax) return <p class="muted">One of {list}</p>
  return (
    <details>
      <summary>{values.length} values</summary>
      <p class="muted">{list}</p>
    </details>
  )
}

/** Rules between fields are JSON Schema, which states them exactly. */
function Conditions({ label, schema }: { readonly label: string; readonly schema: Schema }) {
  const { if: condition, then: consequence, else: otherwise } = schema
  return (
    <details>
      <summary>Rules between the fields of {label}</summary>
      {/* biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema */}
      <pre>{JSON.stringify({ if: condition, then: consequence, else: otherwise }, null, 2)}</pre>
    </details>
  )
}

/** Such as "list of Product" or "string (date-time)". */
export function describeType(document: OpenApiDocument, schema: Schema): string {
  const { name, schema: resolved } = resolveSchema(document, schema)
  const { type, format, items, anyOf, enum: values } = resolved
  if (name !== undefined && !values) return name
  if (items) return `list of ${describeType(document, items)}`
  if (anyOf) return anyOf.map((branch) => describeType(document, branch)).join(' or ')
  const limits = ['minimum', 'maximum', 'minLength', 'maxLength', 'maxItems', 'pattern'].flatMap(
    (keyword) => (resolved[keyword] === undefined ? [] : [`${keyword} ${resolved[keyword]}`]),
  )
  const details = [...(format === undefined ? [] : [format]), ...limits]
  return `${type ?? 'any'}${details.length > 0 ? ` (${details.join(', ')})` : ''}`
}
