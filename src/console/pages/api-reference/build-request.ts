import { parseJson } from '../../../contract/parse-json.ts'
import { quoteForShell } from '../explorer/snippets.ts'
import type { ListedOperation, OpenApiDocument, Parameter } from './documents.ts'
import { readServerUrl, resolveSchema } from './documents.ts'

/** The texts of a form, by the place and the name of a parameter. */
export type FormValues = Readonly<Record<string, string>>

export interface BuiltRequest {
  /** With that of the server: an issuer may have a path. */
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | number | boolean>>
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

export const fieldName = ({ in: place, name }: Parameter): string => `${place} ${name}`

/** The body field of the form. */
export const bodyName = 'body'

/** The server generates it, and the form need not offer it. */
export function listInputs({ parameters }: ListedOperation): Parameter[] {
  return parameters.filter(({ name }) => name !== 'x-fapi-interaction-id')
}

/** Reads the form. The errors are by field. */
export function buildRequest(
  document: OpenApiDocument,
  operation: ListedOperation,
  values: FormValues,
): { readonly request: BuiltRequest; readonly errors: Readonly<Record<string, string>> } {
  const errors: Record<string, string> = {}
  const read = (place: Parameter['in']) =>
    listInputs(operation)
      .filter((parameter) => parameter.in === place)
      .flatMap((parameter) => {
        const text = values[fieldName(parameter)] ?? ''
        // A browser would resolve these parts of a path.
        const isInvalid = place === 'path' && ['', '.', '..'].includes(text)
        if (isInvalid) errors[fieldName(parameter)] = `Enter ${parameter.name}.`
        return text === '' || isInvalid ? [] : [[parameter, text] as const]
      })
  const params = Object.fromEntries(read('path').map(([{ name }, text]) => [name, text]))
  const query = Object.fromEntries(
    read('query').map(([parameter, text]) => [parameter.name, toTyped(document, parameter, text)]),
  )
  const headers = Object.fromEntries(read('header').map(([{ name }, text]) => [name, text]))
  const basePath = readServerUrl(document).pathname.replace(/\/$/, '')
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  const body = operation.requestBody ? readBody(values[bodyName] ?? '', errors) : undefined
  return { request: { path: basePath + path, params, query, headers, body }, errors }
}

function toTyped(
  document: OpenApiDocument,
  { schema }: Parameter,
  text: string,
): string | number | boolean {
  const { type } = resolveSchema(document, schema).schema
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

function readBody(text: string, errors: Record<string, string>): unknown {
  const body = parseJson(text)
  if (body === undefined) errors[bodyName] = 'The body must be JSON.'
  return body
}

/** A command for an API client, which has its token in a variable. */
export function formatClientCurl(
  origin: string,
  { method, security, requestBody }: ListedOperation,
  { path, query, headers, body }: BuiltRequest,
  bodyText = JSON.stringify(body),
): string {
  const type = Object.keys(requestBody?.content ?? {})[0]
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)]),
  ).toString()
  return [
    'curl -s',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...(security.length > 0 ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoteForShell(`${name}: ${value}`)}`),
    ...(type === undefined
      ? []
      : [`-H 'Content-Type: ${type}'`, `--data-binary ${quoteForShell(bodyText)}`]),
    quoteForShell(origin + path + (search && `?${search}`)),
  ].join(' ')
}
