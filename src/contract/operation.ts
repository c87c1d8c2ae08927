import type { Static, TObject, TProperties, TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'

/** Who may call: the platform with a signed single-use token, an API client with a scope, or anyone. */
export type Protection = 'platformToken' | 'clientToken' | 'none'

/** Which address a path is under: the data provider, its contact endpoint, or the platform. */
export type Base = 'provider' | 'resource' | 'platform'

export interface Deprecation {
  /** The `Deprecation` header's date, and the operation to use instead. */
  readonly since: string
  readonly successor: string
}

/** One endpoint of the interface. Server, client, OpenAPI document and checks all read this object. */
export interface Operation {
  /** The row in the interface that demands it: how a log line or a report finds the sentence. */
  readonly ref: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly base: Base
  readonly protection: Protection
  readonly scope?: string
  readonly deprecated?: Deprecation
  readonly tag: 'banking' | 'energy' | 'contact' | 'consent' | 'catalogue' | 'access'
  readonly summary: string
  readonly description?: string
  readonly params: TObject
  readonly query: TObject
  /** Headers of the request that change what is done, by their names in lower case. */
  readonly requestHeaders?: TObject
  readonly body?: TSchema
  /** The body as a form, which is taken instead. */
  readonly form?: TSchema
  readonly status: 200 | 201 | 204
  /** What a success carries. Absent: no body. */
  readonly response?: TSchema
  /** A success may also carry no body at all. */
  readonly mayBeEmpty?: true
  /** Headers of a success, by name, with what they say. */
  readonly headers?: Readonly<Record<string, string>>
  /** What it can answer besides the failures that every operation of its protection shares. */
  readonly errors: readonly ErrorCode[]
}

export interface Input<O extends Operation> {
  readonly params: Static<O['params']>
  readonly query: Static<O['query']>
  readonly headers: O['requestHeaders'] extends TObject ? Static<O['requestHeaders']> : undefined
  readonly body: O['body'] extends TSchema ? Static<O['body']> : undefined
}

export type Output<O extends Operation> = O['response'] extends TSchema
  ? Static<O['response']>
  : undefined

/** What any operation may answer, by what it takes and how it is protected. */
export function listErrors(operation: Operation): ErrorCode[] {
  const shared: ErrorCode[] = [
    ...(takesInput(operation) ? (['invalid_request'] as const) : []),
    ...(operation.protection === 'none' ? [] : (['unauthorized'] as const)),
    ...(operation.scope ? (['insufficient_scope'] as const) : []),
    ...(operation.body ? (['body_too_large', 'unsupported_media_type'] as const) : []),
    'too_many_requests',
    'internal',
    'unavailable',
  ]
  return [...new Set([...operation.errors, ...shared])]
}

function takesInput({ query, requestHeaders, body, errors }: Operation): boolean {
  const hasQuery = Object.keys(query.properties satisfies TProperties).length > 0
  return (
    hasQuery ||
    requestHeaders !== undefined ||
    body !== undefined ||
    errors.includes('invalid_request')
  )
}
