import type { Input, Operation, Output } from '../contract/index.ts'
import { getSession } from '../contract/operations/access.ts'
import { parseJson } from '../contract/parse-json.ts'
import { isObject } from '../contract/schema.ts'
import { attendanceHeaders } from './attendance.ts'
import { endSession, session } from './session.ts'

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

type Texts = Readonly<Record<string, string | number | boolean | undefined>>

/** An answer that does not arrive in this time counts as lost. A request with a signal has no limit. */
const timeoutMs = 30_000

/** The names of the contract, with any value: the server validates what a person has entered. */
type Named<Fields, Value> = { readonly [Name in keyof Fields]?: Value }

type CallInput<O extends Operation> = {
  readonly query?: Named<Input<O>['query'], string | number | undefined>
  readonly headers?: Named<Input<O>['headers'], string>
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
} & (object extends Input<O>['params'] ? object : Pick<Input<O>, 'params'>)

export interface ApiResponse<Body> {
  readonly body: Body
  /** What a change of the resource must name. */
  readonly etag: string
}

interface ApiRequest {
  readonly query?: Texts
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/** Calls an operation of the platform. Throws an `ApiError` unless the response is a success. */
export async function call<O extends Operation>(
  { method, path }: O,
  input: CallInput<O>,
): Promise<ApiResponse<Output<O>>> {
  const { params = {}, ...rest } = input as ApiRequest & { params?: Record<string, string> }
  const encode = (_: string, name: string) => encodeURIComponent(params[name] ?? '')
  return request(method, path.replaceAll(/\{(\w+)\}/g, encode), rest)
}

/** Throws an `ApiError` unless the response is a success. */
export async function request<Body>(
  method: Operation['method'],
  path: string,
  options?: ApiRequest,
): Promise<ApiResponse<Body>> {
  const response = await send(method, path, options)
  const { headers } = response
  const body = await readBody(response)
  if (response.ok) return { body: body as Body, etag: headers.get('etag') ?? '' }
  const id = headers.get('x-fapi-interaction-id') ?? undefined
  const text = findErrorText(body) ?? `The server responded with status ${response.status}.`
  throw new ApiError(response.status, text, id, body)
}

/** The body of a successful response. */
export async function read<O extends Operation>(
  operation: O,
  input: CallInput<O>,
): Promise<Output<O>> {
  return (await call(operation, input)).body
}

/** Undefined if the resource does not exist. */
export async function ifFound<Value>(response: Promise<Value>): Promise<Value | undefined> {
  return response.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  })
}

/** Sends a request of the session. Throws an `ApiError` only if there is no response. */
export async function send(
  method: Operation['method'],
  path: string,
  { query = {}, body, headers = {}, signal }: ApiRequest = {},
): Promise<Response> {
  const until = signal ?? AbortSignal.timeout(timeoutMs)
  const response = await fetch(path + formatQuery(query), {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(method !== 'GET' && session.value && { 'x-csrf-token': session.value.csrf_token }),
      ...attendanceHeaders(),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: until,
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    const isLate = until.aborted
    throw new ApiError(0, `The server ${isLate ? 'did not respond in time' : 'cannot be reached'}.`)
  })
  if (response.status === 401 && session.value) endSession()
  // Either a scope is missing, or the CSRF token is not that of the session.
  if (response.status === 403 && method !== 'GET' && session.value) await compareSession()
  return response
}

/** Ends the session of this tab if another tab has signed out, or has signed in again. */
async function compareSession(): Promise<void> {
  const state = await read(getSession, {}).catch(() => undefined)
  if (state && state.session?.csrf_token !== session.value?.csrf_token) endSession()
}

function formatQuery(query: Texts): string {
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

/** The text of an error in the body of a response. */
export function findErrorText(body: unknown): string | undefined {
  const text = isObject(body) ? body['error'] : undefined
  return typeof text === 'string' ? text : undefined
}
