import type { CustomFetchOptions } from 'oauth4webapi'
import { readBytes } from '../../contract/read-bytes.ts'

/** Metadata, keys, tokens and claims are small. */
const responseBytesMax = 256 * 1024

/** These have no body. */
const emptyStatuses = [204, 205, 304]

/** `fetch`, with a response that has been received completely and is not larger than a limit. */
export async function boundedFetch(
  url: string,
  options: CustomFetchOptions<string, URLSearchParams | Uint8Array | undefined>,
): Promise<Response> {
  const { body, status, headers } = await fetch(url, options as RequestInit)
  const bytes = await readBytes(body, responseBytesMax)
  if (!bytes) throw new Error('the response is too large')
  const isEmpty = emptyStatuses.includes(status)
  return new Response(isEmpty ? null : new Uint8Array(bytes), { status, headers })
}
