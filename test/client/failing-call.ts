import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { inspect } from 'node:util'
import { ClientError, type ClientOptions, createClient } from '../../src/client/index.ts'
import { makeKey } from '../support/tokens.ts'

const { alg, kid, privateKey } = makeKey('ES256', 'k1')
const key = { ...privateKey.export({ format: 'jwk' }), kid, alg }

/** Appears in requests and responses, and must not appear in errors. */
export const secret = 'Sofia'
export const params = { customerId: secret, accountId: secret }

export function open(providerUrl: string, options: Partial<ClientOptions> = {}) {
  return createClient({ providerUrl, subdomain: 's', key, retriesMax: 0, ...options })
}

/** The error of a call. It is an error of the client, and contains neither a token nor personal data. */
export async function catchError(call: Promise<unknown>): Promise<ClientError> {
  const error = await call.then(
    () => assert.fail('the call succeeded'),
    (caught: unknown) => caught,
  )
  assert.ok(error instanceof ClientError, inspect(error))
  const text = inspect(error, { depth: 10, showHidden: true })
  assert.doesNotMatch(text, new RegExp(`${secret}|eyJ|${key.d}`))
  return error
}

/** Ends the client's waits of ten seconds or more at once. */
export function skipWaits(t: TestContext, onWait: (ms: number) => void): void {
  const { setTimeout: start } = globalThis
  t.mock.method(globalThis, 'setTimeout', (callback: () => void, ms: number) => {
    // Other code of the process uses timers too.
    const isOfClient = /src\/client\//.test(new Error().stack ?? '')
    if (ms < 10_000 || !isOfClient) return start(callback, ms)
    onWait(ms)
    return start(callback, 0)
  })
}
