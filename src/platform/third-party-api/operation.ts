import type { Json } from '../../contract/openapi/schemas.ts'
import { cdsErrors } from '../cds/errors.ts'
import type { Schema } from './components.ts'
import type { HeaderName } from './headers.ts'

export const tags = {
  authorisation:
    'Metadata, keys, pushed requests and tokens. A third party authenticates with its private key.',
  data: 'Data that a customer shares, as the Consumer Data Standards define it.',
  discovery: 'The availability of the data holder, without a token.',
  products: 'Published products, without a token.',
} as const

/** The errors of the standards, and those that the server raises for every kind of route. */
export const apiErrors = {
  ...cdsErrors,
  bodyTooLarge: [413, 'cds-all:GeneralError/Expected', 'Expected Error Encountered'],
  unsupportedMediaType: [415, 'cds-all:GeneralError/Expected', 'Expected Error Encountered'],
  unexpected: [500, 'cds-all:GeneralError/Unexpected', 'Unexpected Error Encountered'],
} as const satisfies Record<string, readonly [number, string, string]>

export type ApiErrorName = keyof typeof apiErrors

/** How a request is authenticated. */
export type Security =
  | 'none'
  /** By the key of the third party. */
  | 'client'
  /** By the key of the third party, with proof of the key or certificate that tokens are bound to. */
  | 'boundClient'
  /** By an access token with this scope. */
  | { readonly scope: string }

/** A body. Of several versions, the newest is the first. */
export interface Content {
  readonly schemas: readonly { readonly version: number; readonly schema: Schema }[]
  readonly example: unknown
}

export interface ApiResponse {
  readonly description: string
  readonly headers: readonly HeaderName[]
  readonly content?: Content
}

/** An operation of the document, derived from the tables of the routes. */
export interface ApiOperation {
  readonly id: string
  readonly method: 'GET' | 'POST'
  /** Below the path of the issuer. */
  readonly path: string
  readonly tag: keyof typeof tags
  readonly summary: string
  readonly description: string
  /** What logs and metrics call it. */
  readonly reference: string
  readonly security: Security
  readonly parameters: readonly Json[]
  readonly form?: Content
  readonly json?: { readonly schema: Json; readonly example: unknown }
  /** Successes, and failures whose body is not an error list of the standards. */
  readonly responses: Readonly<Record<number, ApiResponse>>
  /** Failures whose body is an error list of the standards. */
  readonly errors: readonly ApiErrorName[]
}
