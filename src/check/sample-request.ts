import { errorTable, type Operation } from '../contract/index.ts'
import { isObject } from '../contract/schema.ts'
import {
  bearer,
  type CheckContext,
  type RequestInput,
  retryOnce,
  type TokenChanges,
} from './context.ts'
import { findCustomers } from './customers.ts'
import { type HttpResponse, pause } from './http-client.ts'
import { fail, skip } from './outcome.ts'
import { expectRejection, formatStatus } from './responses.ts'

/** A request that succeeds with every valid token. */
export interface SampleRequest {
  readonly operation: Operation
  readonly input: RequestInput
}

/** In order of preference: the operations with the smallest responses first. */
export const sampleRefs = ['C2', 'C3', 'B1', 'E1'] as const

export async function findSample(context: CheckContext): Promise<SampleRequest> {
  const [customerId] =
    context.options.customers.length > 0 ? context.options.customers : await findCustomers(context)
  const operation = findSampleOperation(context)
  if (!operation || customerId === undefined) return skip('no operation to send tokens to')
  return { operation, input: { params: { customerId } } }
}

function findSampleOperation(context: CheckContext): Operation | undefined {
  return sampleRefs.map((ref) => context.operation(ref)).find((each) => each !== undefined)
}

/** The first request of a run: the search, if only e-mail addresses are given. */
function findFirstSample(context: CheckContext): SampleRequest | undefined {
  const [customerId] = context.options.customers
  const [email] = context.options.emails
  if (customerId !== undefined) {
    const operation = findSampleOperation(context)
    return operation && { operation, input: { params: { customerId } } }
  }
  const search = context.operation('C1')
  return search && email !== undefined
    ? { operation: search, input: { body: { email } } }
    : undefined
}

const keyWaitStepMs = 1000

/**
 * Finds a key whose tokens the provider accepts, and makes it the key of the run. A provider that fetched the key set
 * before it was published may need some time to fetch it again.
 */
export async function establishKey(
  context: CheckContext,
  keyWaitMs: number,
  onKeyWait: () => void = () => {},
): Promise<string> {
  const { operation, input } =
    findFirstSample(context) ?? skip('no operation to start with: C2, or C1 and an e-mail address')
  const until = performance.now() + keyWaitMs
  for (let isFirst = true; ; isFirst = false) {
    let last: HttpResponse | undefined
    for (const key of context.testKeys.keys) {
      context.key = key
      last = await context.request(operation, input)
      if (last.status === 0) return failWithoutResponse(context, last)
      if (!isOfProvider(last)) return failOfAnother(context, last)
      if (isAccepted(last)) {
        await requireKnownCustomers(context, operation, last)
        return key.alg
      }
    }
    const [first] = context.testKeys.keys
    if (first) context.key = first
    if (isFirst && keyWaitMs > 0) onKeyWait()
    if (performance.now() < until) await pause(keyWaitStepMs)
    else return failWithoutKey(context, operation, last)
  }
}

/** Another key, or waiting for the provider to fetch one, would change nothing. */
function failWithoutResponse(context: CheckContext, response: HttpResponse): never {
  const { error = '' } = response.exchange()
  return fail(`no response from ${context.options.providerUrl}: ${error}`, {
    expected: 'a provider that answers',
    evidence: [response],
    hint: 'Start the provider, or correct the URL.',
  })
}

/** A gateway may reject a token, or not be ready, with a body of its own. */
const gatewayStatuses: readonly number[] = [401, 403, 503]

/** Whether a response can be that of a provider, also of one with errors in its responses. */
function isOfProvider({ status, isSuccess, body, headers }: HttpResponse): boolean {
  if (gatewayStatuses.includes(status)) return true
  return isSuccess ? body !== undefined || !isHtml(headers) : isObject(body) && 'error' in body
}

const isHtml = ({ 'content-type': type = '' }: HttpResponse['headers']) => /\bhtml\b/.test(type)

function failOfAnother(context: CheckContext, response: HttpResponse): never {
  const { url } = response.exchange().request
  const type = response.headers['content-type']?.split(';')[0] ?? 'no content type'
  return fail(
    `${url} returned ${response.status} with ${type}: this is no provider, or the base URL is wrong`,
    {
      expected: 'a response of the interface',
      evidence: [response],
      hint: `Correct the base URL ${context.options.providerUrl}.`,
    },
  )
}

/** Every check of a customer that the provider does not know would fail. */
async function requireKnownCustomers(
  context: CheckContext,
  operation: Operation,
  first: HttpResponse,
): Promise<void> {
  for (const [index, customerId] of context.options.customers.entries()) {
    const response =
      index === 0 ? first : await context.request(operation, { params: { customerId } })
    if (!isUnknownCustomer(response)) continue
    fail(`the provider does not know the test customer ${customerId}`, {
      expected: `a success of ${operation.ref}`,
      evidence: [response],
      hint: 'Name customers of the provider that have data with --customer.',
    })
  }
}

function failWithoutKey(
  context: CheckContext,
  { ref }: Operation,
  last: HttpResponse | undefined,
): never {
  const { url, keys, fetches } = context.testKeys
  const { providerUrl, subdomain } = context.options
  const tried = keys.map(({ alg }) => alg).join(', ')
  const where =
    url === undefined
      ? 'Publish the public half of the key at the provider’s JWKS URL.'
      : fetches() === 0
        ? `The provider did not fetch the keys: point its JWKS URL at ${url}.`
        : `The provider fetched the keys from ${url}.`
  return fail(
    `${ref}: no token was accepted (tried ${tried}), the last one returned ${last?.status}`,
    {
      expected:
        'a success for a token that is signed, fresh, and issued for this resource and subdomain',
      evidence: last ? [last] : [],
      hint: `${where} The provider must expect what the tokens have: iss and sub "${subdomain}", and aud "${providerUrl}" followed by the path, byte for byte. Its log has the reason of the rejection.`,
    },
  )
}

/** Whether the token was accepted, even if the customer is unknown. */
function isAccepted(response: HttpResponse): boolean {
  return response.isSuccess || isUnknownCustomer(response)
}

function isUnknownCustomer({ body }: HttpResponse): boolean {
  return isObject(body) && body['error'] === errorTable.customer_not_found.message
}

/** Sends a request with exactly these headers. Retries once if there is no response or the status is 429 or 5xx. */
export function tryToken(
  context: CheckContext,
  { operation, input }: SampleRequest,
  headers: Readonly<Record<string, string>>,
): Promise<HttpResponse> {
  return retryOnce(() => context.send(operation, input, headers))
}

/** Fails the check unless the provider rejects an invalid token. */
export async function expectRejected(
  context: CheckContext,
  subject: string,
  token: string | TokenChanges,
  sample?: SampleRequest,
): Promise<HttpResponse> {
  const on = sample ?? (await findSample(context))
  const headers =
    typeof token === 'string'
      ? bearer(token)
      : context.authorize(on.operation, on.input.params, token)
  return expectRejectedWith(context, subject, headers, on)
}

export async function expectRejectedWith(
  context: CheckContext,
  subject: string,
  headers: Readonly<Record<string, string>>,
  on: SampleRequest,
): Promise<HttpResponse> {
  const response = await tryToken(context, on, headers)
  expectRejection(on.operation.ref, subject, response)
  return response
}

/** Fails the check unless the provider accepts a valid token. */
export async function expectAccepted(
  context: CheckContext,
  subject: string,
  changes: TokenChanges,
  sample?: SampleRequest,
): Promise<void> {
  const on = sample ?? (await findSample(context))
  const headers = context.authorize(on.operation, on.input.params, changes)
  const response = await tryToken(context, on, headers)
  if (isAccepted(response)) return
  fail(`${on.operation.ref}: ${subject} returned ${formatStatus(response)}`, {
    expected: 'the response to any valid token',
    evidence: [response],
  })
}
