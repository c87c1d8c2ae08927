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
  /** The provider's public base address, exactly as the provider has it: it is part of every token. */
  readonly providerUrl: string
  /** Of the contact endpoint, where it is another. */
  readonly resourceUrl?: string
  /** The data provider's subdomain. */
  readonly subdomain: string
  readonly key: SigningKey
  /**
   * Which version of the banking account the provider answers with. With 3, accounts are brought to
   * version 4 as they arrive, and those that are in it already are left alone: the provider can move at
   * any moment, and the setting after it.
   */
  readonly accountVersion?: 3 | 4
  /** How often a request that got no answer, or was told to come again, is sent once more. */
  readonly retriesMax?: number
  readonly timeoutMs?: number
}

type ProviderOperationId = keyof typeof providerOperations

/** What has a default may be left out, and so may a query that has nothing in it. */
type CallInput<O extends Operation> = Pick<Input<O>, 'params'> & {
  readonly query?: Partial<Input<O>['query']>
} & (Input<O>['body'] extends undefined ? unknown : { readonly body: Input<O>['body'] })

type Call<O extends Operation> = {
  (input: CallInput<O>): Promise<Output<O>>
  /** Page after page, by the links that the provider gives. */
  pages(input: CallInput<O>): AsyncGenerator<Output<O>>
}

/** One method an operation, named as in the contract: `client.listBankingBalances(…)`. */
export type Client = { readonly [Id in ProviderOperationId]: Call<OperationOf<Id>> }

const retryStatuses = [429, 502, 503, 504]
const retryAfterMaxSeconds = 30

export function createClient(options: ClientOptions): Client {
  const sign = openSigner(options.key, options.subdomain)
  const calls = Object.entries<Operation>(providerOperations).map(([id, operation]) => {
    const call = async (input: AnyInput) =>
      ask(operation, resourceOf(operation, input, options), input)
    const pages = (input: AnyInput) => follow(operation, input)
    return [id, Object.assign(call, { pages })]
  })

  async function* follow(operation: Operation, input: AnyInput): AsyncGenerator<unknown> {
    const resource = resourceOf(operation, input, options)
    let page = await ask(operation, resource, input)
    yield page
    for (let next = linkOf(page); next !== undefined; next = linkOf(page)) {
      page = await ask(operation, resource, input, next)
      yield page
    }
  }

  /** Every operation reads, so each may be sent again; each time with a token of its own. */
  async function ask(
    operation: Operation,
    resource: string,
    input: AnyInput,
    query = queryOf(input.query),
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
        return read(operation, response, accountVersion)
      }
      await pause(response, attempt)
    }
  }

  return Object.fromEntries(calls) as Client
}

interface AnyInput {
  readonly params: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** The URI that the token is for: the path as it is sent, without a query. */
function resourceOf(
  { base, path }: Operation,
  { params }: AnyInput,
  options: ClientOptions,
): string {
  const { providerUrl, resourceUrl = providerUrl } = options
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => pathSegment(name, params[name] ?? ''))
  // The provider keeps its address without them, too.
  return (base === 'resource' ? resourceUrl : providerUrl).replace(/\/+$/, '') + filled
}

function pathSegment(name: string, id: string): string {
  // No URL has these as a name: the request would be for another resource than the token.
  if (['', '.', '..'].includes(id)) throw new RangeError(`${name} cannot be '${id}'`)
  return encodeURIComponent(id)
}

function queryOf(query: AnyInput['query'] = {}): string {
  return Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&')
}

function linkOf(page: unknown): string | undefined {
  return (page as { links?: Links } | undefined)?.links?.next
}

async function read(operation: Operation, response: Response, version: 3 | 4): Promise<unknown> {
  const text = await response.text()
  if (!response.ok) {
    const interactionId = response.headers.get('x-fapi-interaction-id') ?? undefined
    throw new ResponseError(response.status, errorOf(text), operation.ref, interactionId)
  }
  // A restricted account's contact has no body.
  if (text === '') return undefined
  const body = JSON.parse(text)
  if (operation.ref !== 'B1' || version === 4) return body
  const accounts: BankingAccountV3[] = body.data.accounts
  return { ...body, data: { ...body.data, accounts: accounts.map(upgradeAccount) } }
}

function errorOf(text: string): string {
  const foreign = 'not an error of the interface'
  try {
    const { error } = JSON.parse(text) as { error?: unknown }
    return typeof error === 'string' ? error : foreign
  } catch {
    return foreign
  }
}

/** As long as the provider asks for, within reason; else longer each time. */
async function pause(response: Response | undefined, attempt: number): Promise<void> {
  await response?.body?.cancel()
  const asked = Number(response?.headers.get('retry-after') ?? Number.NaN)
  const seconds = Number.isFinite(asked)
    ? Math.min(asked, retryAfterMaxSeconds)
    : 0.1 * 2 ** attempt
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}
