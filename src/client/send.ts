import { readBytes } from '../contract/read-bytes.ts'
import { refusalHeader } from '../contract/refusals.ts'
import { ClientError, ConnectionError, InvalidResponseError, TimeoutError } from './errors.ts'
import type { ResolvedOptions } from './options.ts'
import type { PreparedCall } from './request.ts'
import { openSigner } from './sign.ts'

/** A complete response with any status except a redirect. */
export interface Received {
  readonly status: number
  readonly bytes: Uint8Array
  readonly interactionId: string | undefined
  /** Whether an error response is a refusal to share. */
  readonly isRefusal: boolean
}

export type Send = (call: PreparedCall, query: string) => Promise<Received>

const retryStatuses = [429, 502, 503, 504]
/** The longest wait before a retry. */
const retrySecondsMax = 30

/** Returns a function that sends one request, with retries. All operations are read-only, so retries are safe. */
export function openSender(options: ResolvedOptions): Send {
  const sign = openSigner(options.key, options.subdomain)
  return async (call, query) => {
    for (let attempt = 0; ; attempt += 1) {
      const isLast = attempt >= options.retriesMax
      // Every attempt uses a new token.
      const token = await sign(call.resource)
      try {
        const { retryAfter, ...received } = await exchange(call, query, token, options)
        if (isLast || !retryStatuses.includes(received.status)) return received
        const isInTime = await waitBeforeRetry(call, attempt, retryAfter)
        if (!isInTime) return received
      } catch (error) {
        const isTransient = error instanceof ConnectionError || error instanceof TimeoutError
        if (isLast || !isTransient || !(await waitBeforeRetry(call, attempt))) throw error
      }
    }
  }
}

async function exchange(
  call: PreparedCall,
  query: string,
  token: string,
  { timeoutMs, responseBytesMax, fetch }: ResolvedOptions,
): Promise<Received & { readonly retryAfter: string | null }> {
  const { operation, resource, body, interactionId: sentId } = call
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(query ? `${resource}?${query}` : resource, {
      method: operation.method,
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(sentId !== undefined && { 'x-fapi-interaction-id': sentId }),
      },
      ...(body !== undefined && { body }),
      redirect: 'manual',
      signal: call.signal ? AbortSignal.any([timeout, call.signal]) : timeout,
    })
    const interactionId = response.headers.get('x-fapi-interaction-id') ?? undefined
    if (isRedirect(response)) {
      await response.body?.cancel()
      const reason = 'a redirect, which is not followed because a token is valid for one URL'
      throw new InvalidResponseError(call.id, reason, interactionId)
    }
    const bytes = await readBytes(response.body, responseBytesMax)
    if (!bytes) {
      const reason = `larger than ${responseBytesMax} bytes (responseBytesMax)`
      throw new InvalidResponseError(call.id, reason, interactionId)
    }
    const retryAfter = response.headers.get('retry-after')
    const isRefusal = !response.ok && response.headers.get(refusalHeader) === 'true'
    return { status: response.status, bytes, interactionId, isRefusal, retryAfter }
  } catch (error) {
    if (error instanceof InvalidResponseError) throw error
    throw toClientError(call, error, timeout, timeoutMs)
  }
}

/** A browser hides the status of a redirect that it does not follow. */
function isRedirect({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400)
}

function toClientError(
  { id, resource, signal }: PreparedCall,
  error: unknown,
  timeout: AbortSignal,
  timeoutMs: number,
): ClientError {
  const { origin } = new URL(resource)
  if (signal?.aborted) return new ClientError(id, abortedText, { cause: signal.reason })
  if (timeout.aborted) {
    const message = `no response from ${origin} within ${timeoutMs} ms`
    return new TimeoutError(id, message, { cause: timeout.reason })
  }
  // In Node, fetch wraps the error of the network, which has a code such as ECONNREFUSED.
  const { cause = error } = error as { readonly cause?: unknown }
  const { name, message, code = message } = cause as Partial<NodeJS.ErrnoException>
  // An error of the HTTP parser contains a part of the response, so it is not the cause.
  if (name === 'HTTPParserError' || /^(HPE|Z)_/.test(String(code))) {
    return new InvalidResponseError(id, `invalid HTTP: ${code}`)
  }
  return new ConnectionError(id, `no response from ${origin}: ${code}`, { cause })
}

const abortedText = 'the call was aborted'

/**
 * Waits as long as `Retry-After` says; without it, exponential backoff. Returns false if the time limit of the caller ends
 * first: the last attempt then says more than the limit.
 */
async function waitBeforeRetry(
  { id, signal }: PreparedCall,
  attempt: number,
  retryAfter: string | null = null,
): Promise<boolean> {
  const stated = Number(retryAfter ?? Number.NaN)
  const seconds = Math.min(stated >= 0 ? stated : 0.1 * 2 ** attempt, retrySecondsMax)
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, seconds * 1000)
    if (signal?.aborted) end()
    signal?.addEventListener('abort', end)
  })
  if (!signal?.aborted) return true
  if (isTimeout(signal)) return false
  throw new ClientError(id, abortedText, { cause: signal.reason })
}

/** Whether `AbortSignal.timeout` aborted it. */
function isTimeout({ reason }: AbortSignal): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError'
}
