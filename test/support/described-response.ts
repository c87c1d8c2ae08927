import type { AnySchemaObject } from 'ajv/dist/2020.js'
import { compileDocument } from './compile-document.ts'

/** Headers that HTTP itself defines for every message. */
const protocolHeaders = [
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
]

export interface Described {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The parsed JSON; undefined without a body. */
  readonly body: unknown
}

/**
 * Returns a function that lists what a response has and the OpenAPI document does not describe: its status, its headers,
 * and its body with fields that no schema has.
 */
export function openDescription(document: AnySchemaObject) {
  const ajv = compileDocument(forbidOthers(document) as AnySchemaObject)
  return (method: string, path: string, { status, headers, body }: Described): string[] => {
    const steps = ['paths', path, method.toLowerCase(), 'responses', String(status)]
    const response = steps.reduce<AnySchemaObject | undefined>((at, key) => at?.[key], document)
    if (!response) return [`status ${status} of ${method} ${path}`]
    const described = Object.keys(response['headers']).map((name) => name.toLowerCase())
    const others = Object.keys(headers).filter(
      (name) => ![...described, ...protocolHeaders].includes(name.toLowerCase()),
    )
    const isDescribed = response['content'] !== undefined
    if (body === undefined || !isDescribed) {
      return isDescribed === (body !== undefined) ? others : [...others, 'no body']
    }
    const pointer = [...steps, 'content', 'application/json', 'schema'].map(toSegment).join('/')
    const isValid = ajv.validate({ $ref: `document#/${pointer}` }, body)
    return isValid ? others : [...others, ajv.errorsText()]
  }
}

const toSegment = (key: string) =>
  encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))

/** A copy in which objects have no fields besides those of their schema. */
function forbidOthers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(forbidOthers)
  const copy = Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, forbidOthers(each)]),
  )
  const isObject = copy['type'] === 'object' && 'properties' in copy
  return isObject ? { additionalProperties: false, ...copy } : copy
}
