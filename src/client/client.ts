import {
  type BankingAccountV3,
  type Input,
  type Links,
  type Operation,
  type OperationOf,
  type Output,
  providerOperations,
  upgradeAccount,
} from '../contract/index.ts'
import { ResponseError } from './response-error.ts'
import { openSigner, type SigningKey } from './sign.ts'

export interface ClientOptions {
  /** The public base URL of the provider, exactly as the provider is configured: every token contains it. */
  readonly providerUrl: string
  /** The base URL of the contact endpoint. Default: `providerUrl`. */
  readonly resourceUrl?: string
  /** The subdomain of the data provider. */
  readonly subdomain: string
  readonly key: SigningKey
  /**
   * The version of the banking account that the provider returns. With 3, accounts are upgraded to
   * version 4; accounts that are already in version 4 are unchanged, so the provider can switch before
   * this option does.
   */
  readonly accountVersion?: 3 | 4
  /** The maximum number of retries after a network error or a status 429, 502, 503 or 504. Default: 2. */
  readonly retriesMax?: number
  /** The timeout of one attempt. Default: 30 seconds. */
  readonly timeoutMs?: number
}

type ProviderOperationId = keyof typeof providerOperations

/** The query is optional, and so are its parameters. */
type CallInput<O extends Operation> = Pick<Input<O>, 'params'> & {
  readonly query?: Partial<Input<O>['query']>
} & (Input<O>['body'] extends undefined ? unknown : { readonly body: Input<O>['body'] })

type Call<O extends Operation> = {
  (input: CallInput<O>): Promise<Output<O>>
  /** Iterates over all pages by following the `next` links. */
  pages(input: CallInput<O>): AsyncGenerator<Output<O>>
}

/** One method per operation, named as in the contract: `client.listBankingBalances(…)`. */
export type Client = { readonly [Id in ProviderOperationId]: Call<OperationOf<Id>> }

const retryStatuses = [429, 502, 503, 504]
const retryAfterMaxSeconds = 30

export function createClient(options: ClientOptions): Client {
  const sign = openSigner(options.key, options.subdomain)
  const calls = Object.entries<Operation>(providerOperations).map(([id, operation]) => {
    const call = async (input: AnyInput) =>
      send(operation, buildResource(operation, input, options), input)
    const pages = (input: AnyInput) => iteratePages(operation, input)
    return [id, Object.assign(call, { pages })]
  })

  async function* iteratePages(operation: Operation, input: AnyInput): AsyncGenerator<unknown> {
    const resource = buildResource(operation, input, options)
    let page = await send(operation, resource, input)
    yield page
    for (let next = nextLink(page); next !== undefined; next = nextLink(page)) {
      page = await send(operation, resource, input, next)
      yield page
    }
  }

  /** All operations are read-only, so retries are safe. Every attempt uses a new token. */
  async function send(
    operation: Operation,
    resource: string,
    input: AnyInput,
    query = buildQuery(input.query),
  ): Promise<unknown> {
    const { retriesMax = 2, timeoutMs = 30_000, accountVersion = 4 } = options
    for (let attempt = 0; ; attempt += 1) {
      const response = await fetch(query ? `${resource}?${query}` : resource, {
        method: operation.method,
        headers: {
          authorization: `Bearer ${await sign(resource)}`,
          ...(operation.body && { 'content-type': 'application/json' }),
        },
        ...(operation.body && { body: JSON.stringify(input.body) }),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      }).catch((error: unknown) => {
        if (attempt >= retriesMax) throw error
        return undefined
      })
      if (response && !(retryStatuses.includes(response.status) && attempt < retriesMax)) {
        return readBody(operation, response, accountVersion)
      }
      await waitBeforeRetry(response, attempt)
    }
  }

  return Object.fromEntries(calls) as Client
}

interface AnyInput {
  readonly params: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** The URI in the token's audience: the path as it is sent, without a query. */
function buildResource(
  { base, path }: Operation,
  { params }: AnyInput,
  options: ClientOptions,
): string {
  const { providerUrl, resourceUrl = providerUrl } = options
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => pathSegment(name, params[name] ?? ''))
  // The provider removes trailing slashes from its own base URL as well.
  return (base === 'resource' ? resourceUrl : providerUrl).replace(/\/+$/, '') + filled
}

function pathSegment(name: string, id: string): string {
  // URL parsing would resolve these, and the request would be for another resource than the token.
  if (['', '.', '..'].includes(id)) throw new RangeError(`${name} cannot be '${id}'`)
  return encodeURIComponent(id)
}

function buildQuery(query: AnyInput['query'] = {}): string {
  return Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&')
}

function nextLink(page: unknown): string | undefined {
  return (page as { links?: Links } | undefined)?.links?.next
}

async function readBody(
  operation: Operation,
  response: Response,
  version: 3 | 4,
): Promise<unknown> {
  const text = await response.text()
  if (!response.ok) {
    const interactionId = response.headers.get('x-fapi-interaction-id') ?? undefined
    throw new ResponseError(response.status, parseError(text), operation.ref, interactionId)
  }
  // The contact of a restricted account has no body.
  if (text === '') return undefined
  const body = JSON.parse(text)
  if (operation.ref !== 'B1' || version === 4) return body
  const accounts: BankingAccountV3[] = body.data.accounts
  return { ...body, data: { ...body.data, accounts: accounts.map(upgradeAccount) } }
}

function parseError(text: string): string {
  const unknown = 'the response has no error text of the interface'
  try {
    const { error } = JSON.parse(text) as { error?: unknown }
    return typeof error === 'string' ? error : unknown
  } catch {
    return unknown
  }
}

/** Waits as long as `Retry-After` says, up to a maximum; without it, exponential backoff. */
async function waitBeforeRetry(response: Response | undefined, attempt: number): Promise<void> {
  await response?.body?.cancel()
  const retryAfter = Number(response?.headers.get('retry-after') ?? Number.NaN)
  const seconds = Number.isFinite(retryAfter)
    ? Math.min(retryAfter, retryAfterMaxSeconds)
    : 0.1 * 2 ** attempt
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}
