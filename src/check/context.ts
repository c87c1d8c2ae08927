import { randomUUID } from 'node:crypto'
import { type Operation, providerOperations } from '../contract/index.ts'
import { type Capability, isLeftOut } from './capabilities.ts'
import { type Answer, type HttpClient, pause } from './http-client.ts'
import { compact } from './jws.ts'
import type { ParameterNames } from './parameters.ts'
import { openResponseAudit, type ResponseAudit } from './response-audit.ts'
import type { Members, SigningKey } from './signing-key.ts'
import type { TestKeys } from './test-keys.ts'

export interface ContextOptions {
  readonly providerUrl: string
  readonly resourceUrl: string
  readonly consentUrl: string
  readonly subdomain: string
  readonly customers: readonly string[]
  readonly emails: readonly string[]
  readonly capabilities: readonly Capability[]
  readonly parameters: ParameterNames
  /** Of times that carry none. */
  readonly timeZone: string
  readonly replayAfterMs: number
}

export interface Ask {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Query
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: unknown
}

/** In order; a link of the provider is taken as the text that it is. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>> | string

/** What a token is made with, where it is not to be a good one. */
export interface TokenChanges {
  readonly claims?: Members
  readonly header?: Members
  readonly key?: SigningKey
}

/** What is known of the provider, found out once and only where a check asks for it. */
export interface CheckContext {
  readonly options: ContextOptions
  readonly testKeys: TestKeys
  readonly audit: ResponseAudit
  /** The key that the provider takes tokens of. */
  key: SigningKey
  /** The operation of a reference, unless the provider leaves it out. */
  operation(ref: string): Operation | undefined
  /** All that the provider has. */
  readonly operations: readonly Operation[]
  /** The URI that a token is for. */
  resource(operation: Operation, params?: Ask['params']): string
  token(resource: string, changes?: TokenChanges): string
  /** Asks with a good token; what may be flaky is asked once more. */
  ask(operation: Operation, ask?: Ask): Promise<Answer>
  /** Asks with these headers, once. */
  send(operation: Operation, ask: Ask, headers: Headers, isBurst?: boolean): Promise<Answer>
  /** Remembers what was found out under a name. */
  once<Value>(name: string, make: () => Promise<Value>): Promise<Value>
}

type Headers = Readonly<Record<string, string>>

/** Long enough for a slow provider; a token is good for one use anyway. */
const tokenSeconds = 300
const retryDelayMs = 250
const retryAfterMaxSeconds = 30

export function openContext(
  options: ContextOptions,
  testKeys: TestKeys,
  wire: HttpClient,
): CheckContext {
  const [firstKey] = testKeys.keys
  if (!firstKey) throw new TypeError('there must be a key to sign with')
  const audit = openResponseAudit(options.capabilities.includes('account-version-3') ? 3 : 4)
  const operations = Object.values<Operation>(providerOperations).filter(
    (operation) => !isLeftOut(operation, options.capabilities),
  )
  const known = new Map<string, Promise<unknown>>()

  const world: CheckContext = {
    options,
    testKeys,
    audit,
    key: firstKey,
    operations,
    operation: (ref) => operations.find((operation) => operation.ref === ref),
    resource: (operation, params = {}) => baseOf(options, operation) + pathOf(operation, params),
    token(resource, { claims = {}, header = {}, key = world.key } = {}) {
      const now = Math.floor(Date.now() / 1000)
      return compact(
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
    async ask(operation, ask = {}) {
      const signed = () => bearer(world.token(world.resource(operation, ask.params)))
      const first = await world.send(operation, ask, signed())
      if (!isFlaky(first)) return first
      await pause(delayOf(first))
      return world.send(operation, ask, signed())
    },
    async send(operation, { params, query, body }, headers, isBurst = false) {
      const text = queryText(query)
      const answer = await wire.send({
        method: operation.method,
        url: world.resource(operation, params) + (text && `?${text}`),
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
        operation,
        isBurst,
      })
      audit.note(answer)
      return answer
    },
    once<Value>(name: string, make: () => Promise<Value>) {
      const there = (known.get(name) as Promise<Value> | undefined) ?? make()
      known.set(name, there)
      return there
    },
  }
  return world
}

export function bearer(token: string): Headers {
  return { authorization: `Bearer ${token}` }
}

/** No answer, or one that says that another time may be better. */
export function isFlaky({ status }: Answer): boolean {
  return status === 0 || status === 429 || status >= 500
}

export function delayOf({ headers }: Answer): number {
  const asked = Number(headers['retry-after'] ?? Number.NaN)
  return Number.isFinite(asked) ? Math.min(asked, retryAfterMaxSeconds) * 1000 : retryDelayMs
}

function baseOf(options: ContextOptions, { base, tag }: Operation): string {
  const { providerUrl, resourceUrl, consentUrl } = options
  if (base === 'resource') return resourceUrl
  return tag === 'consent' ? consentUrl : providerUrl
}

function pathOf({ path }: Operation, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''))
}

export function queryText(query: Query = {}): string {
  if (typeof query === 'string') return query
  return Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&')
}
