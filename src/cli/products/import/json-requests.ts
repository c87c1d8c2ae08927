import { setTimeout } from 'node:timers/promises'
import { decodeUtf8, parseJson } from '../../../contract/parse-json.ts'
import { readBytes } from '../../../contract/read-bytes.ts'
import { version } from '../../../server/version.ts'

/** How often a request is sent that the server postpones with status 429 or 503. */
const attemptsMax = 5

/** The longest wait that a server may ask for. */
const waitMaxMs = 60_000

/** The first wait if the server does not say how long; doubled with each attempt. */
const waitDefaultMs = 1000

const redirectsMax = 5

const postponed = [429, 503]

/** Why a request failed. Completes a sentence that begins with the URL. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  /** Whether further requests are pointless, or unwanted by the server. */
  readonly isFinal: boolean

  constructor(reason: string, isFinal = false, options?: ErrorOptions) {
    super(reason, options)
    this.isFinal = isFinal
  }
}

interface RequestOptions {
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** Called before a wait that the server has asked for. */
  readonly onWait: (seconds: number) => void
}

interface JsonRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly bytesMax: number
}

export type ReadJson = (request: JsonRequest) => Promise<unknown>

/** Sends GET requests to one server. While it asks to wait, no request is sent. */
export function openJsonRequests({ timeoutMs, signal, onWait }: RequestOptions): ReadJson {
  let notBefore = 0

  const send = async ({
    url,
    headers,
    bytesMax,
  }: JsonRequest): Promise<Response | { readonly value: unknown }> => {
    const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    try {
      const response = await follow(url, { accept: 'application/json', ...headers }, until)
      return response.ok ? { value: await readJson(response, bytesMax) } : response
    } catch (error) {
      signal.throwIfAborted()
      throw toRequestError(error, timeoutMs)
    }
  }

  return async (request) => {
    for (let attempt = 1; ; attempt += 1) {
      await setTimeout(Math.max(0, notBefore - Date.now()), undefined, { signal })
      const answer = await send(request)
      if ('value' in answer) return answer.value
      const { status } = answer
      if (!postponed.includes(status)) throw new RequestError(`was answered with status ${status}`)
      const waitMs = readWait(answer, attempt)
      const seconds = Math.ceil(waitMs / 1000)
      if (waitMs > waitMaxMs || attempt === attemptsMax) {
        const reason = `was answered with status ${status}: the server asks to wait ${seconds} s`
        throw new RequestError(reason, true)
      }
      notBefore = Math.max(notBefore, Date.now() + waitMs)
      onWait(seconds)
    }
  }
}

/** Redirects to another server are not followed. */
async function follow(
  start: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Response> {
  let url = start
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    const response = await fetch(url, {
      headers: { 'user-agent': `Holdfast/${version}`, ...headers },
      redirect: 'manual',
      signal,
    })
    const location = response.headers.get('location')
    if (response.status < 300 || response.status > 399 || location === null) {
      if (!response.ok) await response.body?.cancel()
      return response
    }
    await response.body?.cancel()
    url = resolveSameOrigin(location, url, 'redirects')
  }
  throw new RequestError(`redirects more than ${redirectsMax} times`)
}

/** The URL that a response refers to. `how` completes the sentence "…to another server". */
export function resolveSameOrigin(reference: string, base: URL, how: string): URL {
  const url = URL.parse(reference, base)
  if (!url) throw new RequestError(`${how} to an invalid URL`)
  if (url.origin !== base.origin) throw new RequestError(`${how} to another server: ${url.origin}`)
  url.username = ''
  url.password = ''
  return url
}

async function readJson({ body }: Response, bytesMax: number): Promise<unknown> {
  const bytes = await readBytes(body, bytesMax)
  if (!bytes) throw new RequestError(`was answered with more than ${bytesMax} bytes`)
  const text = decodeUtf8(bytes)
  if (text === undefined) throw new RequestError('was not answered in UTF-8')
  const value = parseJson(text)
  if (value === undefined) throw new RequestError('was answered with invalid JSON')
  return value
}

function readWait({ headers }: Response, attempt: number): number {
  const text = headers.get('retry-after') ?? ''
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? waitDefaultMs * 2 ** (attempt - 1) : Math.max(0, ms)
}

function toRequestError(error: unknown, timeoutMs: number): Error {
  if (error instanceof RequestError) return error
  const { name, cause } = error as NodeJS.ErrnoException
  if (name === 'TimeoutError') {
    return new RequestError(`was not answered completely within ${timeoutMs / 1000} s`)
  }
  const { code: reason = 'the connection failed' } = (cause ?? error) as NodeJS.ErrnoException
  return new RequestError(`failed: ${reason}`, false, { cause: error })
}
