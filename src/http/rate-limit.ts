import type { FastifyRequest, preParsingHookHandler } from 'fastify'
import { openTokenBuckets } from '../auth/token-bucket.ts'
import { ContractError } from '../contract/index.ts'
import type { HttpApp } from './app.ts'

/** How often may be asked, by this process. What is not given is not limited. */
export interface RateLimits {
  readonly customerPerMinute?: number | undefined
  readonly providerPerSecond?: number | undefined
}

const everybody = ''

/** How many customers are remembered that were asked for; no id is longer than that. */
const customersMax = 100_000
const idLengthMax = 256

/**
 * Turns away what goes beyond the rates. Only a request whose token was found good counts, and only once the token
 * was found unused: who has no token, or an old one, cannot use up what a customer may ask.
 */
export function limitRates(
  app: HttpApp,
  { customerPerMinute, providerPerSecond }: RateLimits,
): void {
  const budgets = [
    ...(providerPerSecond
      ? [{ ...budgetOf(providerPerSecond, 1), nameOf: (): string | undefined => everybody }]
      : []),
    ...(customerPerMinute ? [{ ...budgetOf(customerPerMinute, 60), nameOf: customerOf }] : []),
  ]
  if (budgets.length === 0) return

  // After the guard, and before the body is read.
  const judge: preParsingHookHandler = (request, _reply, payload, done) => {
    const spent = budgets.flatMap(({ nameOf, ...budget }) => {
      const name = nameOf(request)
      return name === undefined ? [] : [{ ...budget, name }]
    })
    const wait = Math.max(0, ...spent.map((each) => each.retryAfter(each.name)))
    if (wait > 0) {
      const retryAfterSeconds = Math.ceil(wait)
      done(new ContractError('too_many_requests', undefined, { retryAfterSeconds }))
      return
    }
    for (const each of spent) each.take(each.name)
    request.tokenRecorded?.catch(() => {
      for (const each of spent) each.refund(each.name)
    })
    done(null, payload)
  }
  app.addHook('onRoute', (route) => {
    if (route.config?.operation) route.preParsing = judge
  })
}

/** As much at once as in the whole time, and then at an even pace; never less than one. */
function budgetOf(count: number, seconds: number) {
  return openTokenBuckets(Math.max(1, count), seconds / count, customersMax)
}

function customerOf({ params }: FastifyRequest): string | undefined {
  const { customerId } = params as { readonly customerId?: string }
  if (customerId === undefined || customerId.length > idLengthMax) return undefined
  // A copy: a part of the address would keep all of it in memory.
  return Buffer.from(customerId).toString()
}
