import type { Static, TObject, TProperties, TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'
import type { ResponseHeader } from './response-headers.ts'
import { asNode } from './schema.ts'
import type { Scope } from './scopes.ts'

/** The token that a call needs: the platform's signed single-use token, an API client's token, or none. */
export type Protection = 'platformToken' | 'clientToken' | 'none'

/** The base URL of a path: the data provider's, its contact endpoint's, the platform's, or the intake's. */
export type Base = 'provider' | 'resource' | 'platform' | 'intake'

export type AccountKind = 'banking' | 'energy'

/** What the operations of each tag are about. */
export const operationTags = {
  access: 'Tokens for API clients, and the public keys of the platform.',
  banking: 'Accounts, balances, transactions and payments of one customer.',
  catalogue: 'The products of the platform, with rates, fees, features and eligibility.',
  consent: 'The consent flow: identify the customer and list the accounts that can be shared.',
  consents: 'The consents of customers, for the systems of the data provider.',
  contact: 'Contact details of the holders of an account.',
  energy: 'Accounts, plans, invoices and billing of one customer.',
  explorer: 'Calls to the data provider that the platform signs, in demos and sandboxes.',
  intake: 'Feeds: numbered batches of data.',
  monitoring: 'The state of the servers, and checks of the data provider.',
}

export interface Deprecation {
  /** The date in the `Deprecation` header. */
  readonly since: string
  /** The reference of the operation to use instead. */
  readonly successor: string
}

/** One endpoint of the interface. The server, the client, the OpenAPI document and the checks use this object. */
export interface Operation {
  /** The reference in the interface, such as B3, or one of our own. Logs and reports use it. */
  readonly ref: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly base: Base
  readonly protection: Protection
  readonly scope?: Scope
  readonly deprecated?: Deprecation
  /** An operation of a provider that the interface does not have: a provider may leave it out (docs/decisions/0067-single-accounts.md). */
  readonly isExtension?: true
  readonly tag: keyof typeof operationTags
  /** The kinds of account that it is about. Required where a request names accounts. */
  readonly accountKinds?: readonly AccountKind[]
  readonly summary: string
  /** Other operations are named by their id. */
  readonly description: string
  readonly params: TObject
  readonly query: TObject
  /** Request headers that affect the operation, by lower-case name. */
  readonly requestHeaders?: TObject
  readonly body?: TSchema
  /** The body as a form, accepted instead of JSON. */
  readonly form?: TSchema
  /** Describes a body of NDJSON lines, which replaces a JSON body. */
  readonly lines?: string
  readonly status: 200 | 201 | 204
  /** The body of a successful response. Absent: no body. */
  readonly response?: TSchema
  /** The data of each event. The response is then a stream of type `text/event-stream` instead of a JSON body. */
  readonly events?: TSchema
  /** Describes a successful response, where the description of its schema does not. */
  readonly result?: string
  /** A successful response may also have an empty body. */
  readonly mayBeEmpty?: true
  /** Headers of a successful response, beyond those of every response. */
  readonly headers?: readonly ResponseHeader[]
  /** Browsers may read the responses from any origin. */
  readonly crossOrigin?: true
  /** Errors beyond those that `listErrors` derives from the path, the input and the protection. */
  readonly errors: readonly ErrorCode[]
}

/** Where a request names accounts. */
export function locateAccounts({ path, body }: Operation): 'path' | 'body' | undefined {
  if (/\{(accountId|id)\}/.test(path)) return 'path'
  return body && asNode(body).name === 'AccountIds' ? 'body' : undefined
}

/** Follows the description of an extension. */
export const extensionNote = 'An extension of the interface: a provider may leave it out.'

/** The summary in a list of operations. */
export function formatSummary({ summary, deprecated, isExtension }: Operation): string {
  return summary + (deprecated ? ' (deprecated)' : '') + (isExtension ? ' (extension)' : '')
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

/** All errors of an operation: its own, and those that follow from its path, its input and its protection. */
export function listErrors(operation: Operation): ErrorCode[] {
  const accounts = locateAccounts(operation)
  const shared: ErrorCode[] = [
    ...(operation.path.includes('{customerId}')
      ? (['customer_not_found', 'customer_protected'] as const)
      : []),
    ...(accounts === 'path' ? (['account_not_found', 'account_protected'] as const) : []),
    ...(accounts === 'body'
      ? (['account_in_query_not_found', 'account_in_query_protected'] as const)
      : []),
    ...(hasInput(operation) ? (['invalid_request'] as const) : []),
    ...(operation.protection === 'none' ? [] : (['unauthorized'] as const)),
    ...(operation.scope ? (['insufficient_scope'] as const) : []),
    ...(operation.body
      ? (['body_too_large', 'unsupported_media_type', 'compressed_body'] as const)
      : []),
    ...(operation.lines ? (['body_too_large', 'not_ndjson', 'unsupported_encoding'] as const) : []),
    'too_many_requests',
    'internal',
    'unavailable',
  ]
  return [...new Set([...operation.errors, ...shared])]
}

function hasInput({ query, requestHeaders, body, errors }: Operation): boolean {
  const hasQuery = Object.keys(query.properties satisfies TProperties).length > 0
  return (
    hasQuery ||
    requestHeaders !== undefined ||
    body !== undefined ||
    errors.includes('invalid_request')
  )
}
