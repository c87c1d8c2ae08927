import { createHash } from 'node:crypto'
import { selectVersion } from './version.ts'

/** A request to an endpoint that needs no token. */
export interface PublicRequest {
  /** Of the endpoints. */
  readonly baseUrl: string
  readonly version: string | undefined
  readonly minimumVersion: string | undefined
}

export interface PublicAnswer {
  readonly version: number
  readonly body: Uint8Array
  readonly etag: string
}

export interface PublicEndpoint {
  readonly method: 'GET'
  readonly path: string
  /** The lowest and the highest version. */
  readonly versions: readonly [number, number]
}

/** May throw a `CdsError`. */
export function chooseVersion(
  { version, minimumVersion }: Omit<PublicRequest, 'baseUrl'>,
  { versions }: PublicEndpoint,
): number {
  return selectVersion(version, minimumVersion, versions)
}

export function toAnswer(version: number, text: string): PublicAnswer {
  const body = Buffer.from(text)
  const digest = createHash('sha256').update(body).digest('base64url')
  return { version, body, etag: `"${digest}"` }
}
