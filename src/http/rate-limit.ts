import type { FastifyRequest, preParsingHookHandler } from 'fastify'
import { openTokenBuckets } from '../auth/token-bucket.ts'
import { tooManyRequests } from '../contract/index.ts'
import type { HttpApp } from './app.ts'

/** The rates that this process accepts. An absent rate is not limited. */
export interface RateLimits {
  readonly customerPerMinute?: number | undefined
  readonly providerPerSecond?: number | undefined
}

/** The key of the one bucket for the whole provider. */
const wholeProvider = ''

/** How many customers have a bucket, and the longest customer id. */
const customersMax = 100_000
const idLengthMax = 256

/**
 * Rejects requests beyond the rates. Only a request with a valid, unused token counts: a client without a token, or with
 * a replayed one, cannot use up the rate of a customer.
 */
export function limitRates(
  app: HttpApp,
  { customerPerMinute, providerPerSecond }: RateLimits,
): void {
  const limiters = [
    ...(providerPerSecond
      ? [
          {
            limit: 'requests_per_second' as const,
            ...openBuckets(providerPerSecond, 1),
            readKey: (): string | undefined => wholeProvider,
          },
        ]
      : []),
    ...(customerPerMinute
      ? [
          {
            limit: 'customer_per_minute' as const,
            ...openBuckets(customerPerMinute, 60),
            readKey: readCustomerId,
          },
        ]
      : []),
  ]
  if (limiters.length === 0) return

  // Runs after token verification and before the body is read.
  const takeTokens: preParsingHookHandler = (request, _reply, payload, done) => {
    const buckets = limiters.flatMap(({ readKey, ...limiter }) => {
      const key = readKey(request)
      return key === undefined ? [] : [{ ...limiter, key }]
    })
    const waits = buckets.map(({ limit, key, retryAfter }) => ({ limit, seconds: retryAfter(key) }))
    const [longest] = waits.sort((a, b) => b.seconds - a.seconds)
    if (longest && longest.seconds > 0) {
      const retryAfterSeconds = Math.ceil(longest.seconds)
      const circumstance = 'traffic_threshold'
      done(tooManyRequests(longest.limit, { retryAfterSeconds, circumstance }))
      return
    }
    for (const bucket of buckets) bucket.take(bucket.key)
    request.tokenRecorded?.catch(() => {
      for (const bucket of buckets) bucket.refund(bucket.key)
    })
    done(null, payload)
  }
  app.addHook('onRoute', (route) => {
    if (route.config?.operation) route.preParsing = takeTokens
  })
}

/** A burst of up to `count`, then `count` evenly spread over `seconds`; at least one request. */
function openBuckets(count: number, seconds: number) {
  return openTokenBuckets(Math.max(1, count), seconds / count, customersMax)
}

function readCustomerId({ params }: FastifyRequest): string | undefined {
  const { customerId } = params as { readonly customerId?: string }
  if (customerId === undefined || customerId.length > idLengthMax) return undefined
  // A copy: a substring would keep the whole URL in memory.
  return Buffer.from(customerId).toString()
}
