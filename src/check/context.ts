import { randomUUID } from 'node:crypto'
import { type Operation, providerOperations } from '../contract/index.ts'
import { type Capability, isLeftOut } from './capabilities.ts'
import { type HttpClient, type HttpResponse, pause } from './http-client.ts'
import { signToken } from './jws.ts'
import type { ParameterNames } from './parameters.ts'
import { openResponseAudit, type ResponseAudit } from './response-audit.ts'
import type { Members, SigningKey } from './signing-key.ts'
import type { TestKeys } from './test-keys.ts'

/** What the provider refuses to share: accounts of the test customers, and a customer who is none of them. */
export interface RestrictedOptions {
  /** An account that cannot be used. */
  readonly blockedAccount?: string | undefined
  /** An account that is not shared to prevent harm. */
  readonly protectedAccount?: string | undefined
  readonly restrictedCustomer?: string | undefined
}

export interface ContextOptions extends RestrictedOptions {
  readonly providerUrl: string
  /** The base URLs of the contact endpoint and of the consent flow, which may differ from that of the provider. */
  readonly resourceUrl: string
  readonly consentUrl: string
  readonly subdomain: string
  /** Test customers by id or by e-mail address: at least one. Isolation is checked with two. */
  readonly customers: readonly string[]
  readonly emails: readonly string[]
  readonly capabilities: readonly Capability[]
  readonly parameters: ParameterNames
  /** The time zone of times without an offset. */
  readonly timeZone: string
  /** The minimum time between the first use of a token and its replay at the end of the run. */
  readonly replayAfterMs: number
}

export interface RequestInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Query
  /** Sent as JSON. A string is sent unchanged. */
  readonly body?: unknown
}

/** Parameters in the order in which they are sent. A string, such as a link of the provider, is sent unchanged. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>> | string

/** How a token differs from a valid one. */
export interface TokenChanges {
  readonly claims?: Members
  readonly header?: Members
  readonly key?: SigningKey
}

/** Access to the provider for the checks of a run, and what the run has learned about it. */
export interface CheckContext {
  readonly options: ContextOptions
  readonly testKeys: TestKeys
  readonly audit: ResponseAudit
  /** The key that tokens are signed with. */
  key: SigningKey
  /** Finds an operation by its reference; undefined if the provider leaves it out. */
  operation(ref: string): Operation | undefined
  /** All operations that the provider implements. */
  readonly operations: readonly Operation[]
  /** By reference: why extensions of the interface are not tested. */
  unserved: ReadonlyMap<string, string>
  /** The URI that a token is issued for. */
  resource(operation: Operation, params?: RequestInput['params']): string
  token(resource: string, changes?: TokenChanges): string
  /** The header with a new token for the operation. */
  authorize(
    operation: Operation,
    params: RequestInput['params'],
    changes?: TokenChanges,
  ): Record<string, string>
  /** Sends a request with a valid token. Retries once if there is no response or the status is 429 or 5xx. */
  request(operation: Operation, input?: RequestInput): Promise<HttpResponse>
  /** Sends a request as `request` does, whose response is not audited: the provider may not serve the path. */
  requestUnaudited(operation: Operation, input: RequestInput): Promise<HttpResponse>
  /** Sends one request with the given headers and without a retry. */
  send(
    operation: Operation,
    input: RequestInput,
    headers: Headers,
    isBurst?: boolean,
  ): Promise<HttpResponse>
  /** Runs `make` on the first call with this name, and returns the same promise on every later one. */
  once<Value>(name: string, make: () => Promise<Value>): Promise<Value>
}

type Headers = Readonly<Record<string, string>>

/** Long enough for a slow provider. */
const tokenSeconds = 300
const retryDelayMs = 250
const retryAfterMaxSeconds = 30

export function openContext(
  options: ContextOptions,
  testKeys: TestKeys,
  client: HttpClient,
): CheckContext {
  const [firstKey] = testKeys.keys
  if (!firstKey) throw new TypeError('at least one signing key is required')
  const audit = openResponseAudit(options.capabilities.includes('account-version-3') ? 3 : 4)
  const declared = Object.values<Operation>(providerOperations).filter(
    (operation) => !isLeftOut(operation, options.capabilities),
  )
  const cache = new Map<string, Promise<unknown>>()

  const exchange: CheckContext['send'] = (
    operation,
    { params, query, body },
    headers,
    isBurst = false,
  ) => {
    const text = formatQuery(query)
    return client.send({
      method: operation.method,
      url: context.resource(operation, params) + (text && `?${text}`),
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
      operation,
      isBurst,
    })
  }

  const context: CheckContext = {
    options,
    testKeys,
    audit,
    key: firstKey,
    unserved: new Map(),
    get operations() {
      return declared.filter(({ ref }) => !context.unserved.has(ref))
    },
    operation: (ref) => context.operations.find((operation) => operation.ref === ref),
    resource: (operation, params = {}) =>
      chooseBase(options, operation) + fillPath(operation, params),
    token(resource, { claims = {}, header = {}, key = context.key } = {}) {
      const now = Math.floor(Date.now() / 1000)
      return signToken(
        { alg: key.alg, kid: key.kid, typ: 'JWT', ...header },
        {
          iss: options.subdomain,
          sub: options.subdomain,
          aud: resource,
          iat: now,
          exp: now + tokenSeconds,
          jti: randomUUID(),
          ...claims,
        },
        key,
      )
    },
    authorize: (operation, params, changes) =>
      bearer(context.token(context.resource(operation, params), changes)),
    request: (operation, input = {}) =>
      retryOnce(() => context.send(operation, input, context.authorize(operation, input.params))),
    requestUnaudited: (operation, input) =>
      retryOnce(() => exchange(operation, input, context.authorize(operation, input.params))),
    async send(operation, input, headers, isBurst) {
      const response = await exchange(operation, input, headers, isBurst)
      audit.note(response)
      return response
    },
    once<Value>(name: string, make: () => Promise<Value>) {
      const cached = (cache.get(name) as Promise<Value> | undefined) ?? make()
      cache.set(name, cached)
      return cached
    },
  }
  return context
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}

/** Sends again if there is no response, or one that a retry may change. */
export async function retryOnce(send: () => Promise<HttpResponse>): Promise<HttpResponse> {
  const first = await send()
  const { status, headers } = first
  if (status !== 0 && status !== 429 && status < 500) return first
  const seconds = Number(headers['retry-after'] ?? Number.NaN)
  await pause(
    Number.isFinite(seconds) ? Math.min(seconds, retryAfterMaxSeconds) * 1000 : retryDelayMs,
  )
  return send()
}

function chooseBase(options: ContextOptions, { base, tag }: Operation): string {
  const { providerUrl, resourceUrl, consentUrl } = options
  if (base === 'resource') return resourceUrl
  return tag === 'consent' ? consentUrl : providerUrl
}

function fillPath({ path }: Operation, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''))
}

function formatQuery(query: Query = {}): string {
  if (typeof query === 'string') return query
  return Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&')
}
