import { errorTable, type Operation } from '../contract/index.ts'
import { isObject } from '../contract/schema.ts'
import {
  type Ask,
  bearer,
  type CheckContext,
  delayOf,
  isFlaky,
  type TokenChanges,
} from './context.ts'
import { customersOf } from './customers.ts'
import { type Answer, pause } from './http-client.ts'
import { fail, skip } from './outcome.ts'

/** A question that any good token gets an answer to: what tokens are tried on. */
export interface Probe {
  readonly operation: Operation
  readonly ask: Ask
}

/** The first that the provider has: those that read little come first. */
const probeRefs = ['C2', 'C3', 'B1', 'E1'] as const

export async function probeOf(world: CheckContext): Promise<Probe> {
  const [customerId] =
    world.options.customers.length > 0 ? world.options.customers : await customersOf(world)
  const operation = probeRefs.map((ref) => world.operation(ref)).find((each) => each !== undefined)
  if (!operation || customerId === undefined) return skip('there is nothing to try a token on')
  return { operation, ask: { params: { customerId } } }
}

/** Before anything is known: with an address alone, the search itself. */
function firstProbe(world: CheckContext): Probe | undefined {
  const [customerId] = world.options.customers
  const [email] = world.options.emails
  if (customerId !== undefined) {
    const operation = probeRefs
      .map((ref) => world.operation(ref))
      .find((each) => each !== undefined)
    return operation && { operation, ask: { params: { customerId } } }
  }
  const search = world.operation('C1')
  return search && email !== undefined ? { operation: search, ask: { body: { email } } } : undefined
}

const keyWaitStepMs = 1000

/**
 * Finds the key whose tokens the provider takes, and goes on with it. A provider that fetched the key set
 * before it was published may need a while to fetch it again.
 */
export async function establishKey(world: CheckContext, keyWaitMs: number): Promise<string> {
  const { operation, ask } =
    firstProbe(world) ?? skip('there is no operation to begin with: C2, or C1 with an address')
  const until = performance.now() + keyWaitMs
  for (;;) {
    let last: Answer | undefined
    for (const key of world.testKeys.keys) {
      world.key = key
      last = await world.ask(operation, ask)
      if (isAccepted(last)) return key.alg
    }
    const [first] = world.testKeys.keys
    if (first) world.key = first
    if (performance.now() < until) await pause(keyWaitStepMs)
    else return refuseSignIn(world, operation, last)
  }
}

function refuseSignIn(world: CheckContext, { ref }: Operation, last: Answer | undefined): never {
  const { url, keys } = world.testKeys
  const tried = keys.map(({ alg }) => alg).join(', ')
  const where = url
    ? `Point the provider's JWKS URL at ${url}.`
    : 'Publish the public half of the key at the provider’s JWKS URL.'
  return fail(
    `${ref}: no token was accepted (tried ${tried}), the last one got ${last?.status || 'no answer'}`,
    {
      expected: 'an answer to a token that is signed, fresh, and for this resource and subdomain',
      evidence: last ? [last] : [],
      hint: `${where} iss and sub are ${world.options.subdomain}; aud is ${world.options.providerUrl} and the path, byte for byte.`,
    },
  )
}

/** The token was taken, whatever became of the question. */
function isAccepted({ isSuccess, body }: Answer): boolean {
  return isSuccess || (isObject(body) && body['error'] === errorTable.customer_not_found.message)
}

/** One try with exactly this token; where nothing judged it, once more. */
export async function tryToken(
  world: CheckContext,
  { operation, ask }: Probe,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const first = await world.send(operation, ask, headers)
  if (!isFlaky(first)) return first
  await pause(delayOf(first))
  return world.send(operation, ask, headers)
}

/** A token with something wrong: it must be refused. */
export async function expectRejected(
  world: CheckContext,
  what: string,
  token: string | TokenChanges,
  probe?: Probe,
): Promise<Answer> {
  const on = probe ?? (await probeOf(world))
  const resource = world.resource(on.operation, on.ask.params)
  const text = typeof token === 'string' ? token : world.token(resource, token)
  return expectRejectedWith(world, what, bearer(text), on)
}

export async function expectRejectedWith(
  world: CheckContext,
  what: string,
  headers: Readonly<Record<string, string>>,
  on: Probe,
): Promise<Answer> {
  const answer = await tryToken(world, on, headers)
  if (answer.status >= 400 && answer.status < 500) return answer
  return fail(`${on.operation.ref}: ${what} got ${answer.status || 'no answer'}`, {
    expected: 'a refusal, any status of 400 to 499',
    evidence: [answer],
  })
}

/** A good token: it must be taken. */
export async function expectAccepted(
  world: CheckContext,
  what: string,
  changes: TokenChanges,
  probe?: Probe,
): Promise<Answer> {
  const on = probe ?? (await probeOf(world))
  const answer = await tryToken(
    world,
    on,
    bearer(world.token(world.resource(on.operation, on.ask.params), changes)),
  )
  if (isAccepted(answer)) return answer
  return fail(`${on.operation.ref}: ${what} got ${answer.status || 'no answer'}`, {
    expected: 'the answer that any good token gets',
    evidence: [answer],
  })
}
