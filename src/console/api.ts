import { parseJson } from '../contract/parse-json.ts'
import { compareSession, endSession, session } from './session.ts'

/** An error of an operation, in the words of the server. */
export class ApiError extends Error {
  /** 0 if there was no response. */
  readonly status: number
  readonly interactionId: string | undefined
  /** The body of the response, if it is JSON. */
  readonly body: unknown

  constructor(status: number, message: string, interactionId?: string, body?: unknown) {
    super(message)
    this.status = status
    this.interactionId = interactionId
    this.body = body
  }
}

export interface ApiRequest {
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

export interface ApiResponse<Body> {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Sends a request of the session. Throws an `ApiError` only if there is no response. */
export async function send(
  method: Method,
  path: string,
  { query = {}, body, headers = {}, signal }: ApiRequest = {},
): Promise<Response> {
  const response = await fetch(path + formatQuery(query), {
    method,
    credentials: 'same-origin',
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(method !== 'GET' && session.value && { 'x-csrf-token': session.value.csrf_token }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    throw new ApiError(0, 'The server cannot be reached.')
  })
  if (response.status === 401 && session.value) endSession()
  // Either a scope is missing, or the CSRF token is not that of the session.
  if (response.status === 403 && method !== 'GET' && session.value) await compareSession()
  return response
}

/** Calls an operation of the platform. Throws an `ApiError` unless the response is a success. */
export async function request<Body = unknown>(
  method: Method,
  path: string,
  options: ApiRequest = {},
): Promise<ApiResponse<Body>> {
  const response = await send(method, path, options)
  const content = await readBody(response)
  if (response.ok)
    return { status: response.status, headers: response.headers, body: content as Body }
  const { status } = response
  const id = response.headers.get('x-fapi-interaction-id') ?? undefined
  throw new ApiError(status, describeError(content, response), id, content)
}

/** The body of a successful response to a GET. */
export async function get<Body>(path: string, options?: ApiRequest): Promise<Body> {
  return (await request<Body>('GET', path, options)).body
}

export function formatQuery(query: Readonly<Record<string, string | number | undefined>>): string {
  const entries = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`
}

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text().catch(() => {
    throw new ApiError(0, 'The connection was lost.')
  })
  return parseJson(text)
}

function describeError(body: unknown, { status }: Response): string {
  const isObject = typeof body === 'object' && body !== null
  if (isObject && 'error' in body && typeof body.error === 'string') return body.error
  return `The server responded with status ${status}.`
}
