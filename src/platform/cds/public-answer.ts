import { createHash } from 'node:crypto'
import type { VersionHeaders } from './version.ts'

/** A request to an endpoint that needs no token. */
export interface PublicRequest extends VersionHeaders {
  /** Of the endpoints. */
  readonly baseUrl: string
}

export interface PublicAnswer {
  readonly body: Uint8Array
  readonly headers: { readonly 'x-v': string; readonly etag: string }
}

export interface PublicEndpoint {
  readonly path: string
  /** Its name in the standards. */
  readonly summary: string
  /** The lowest and the highest version. */
  readonly versions: readonly [number, number]
}

export function toAnswer(version: number, text: string): PublicAnswer {
  const body = Buffer.from(text)
  return { body, headers: { 'x-v': String(version), etag: digestEntityTag(body) } }
}

export function digestEntityTag(body: Uint8Array): string {
  return `"${createHash('sha256').update(body).digest('base64url')}"`
}
