import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { openDeployment } from '../support/deployment.ts'
import { describeOnce } from '../support/engines.ts'
import { type Answer, send } from '../support/http.ts'
import { accountsPath } from '../support/small-bank.ts'
import { assertPasses, assertRejected, openTokenProvider } from '../support/token-provider.ts'
import { makeKey } from '../support/tokens.ts'

const otherPath = '/v1/banking/customer/c2/accounts'
const searchPath = '/auth/v1/customer/search'

/** Stops the monotonic clock, so that no bucket is refilled while a slow machine sends the requests. */
function stopClock(t: TestContext): { pass(ms: number): void } {
  // A whole second: differences of fractions are rounded, and a bucket would lack a token.
  let now = Math.ceil(performance.now() / 1000) * 1000
  t.mock.method(performance, 'now', () => now)
  return {
    pass(ms) {
      now += ms
    },
  }
}

function assertTooMany({ status, text, headers }: Answer, limit = 'customer_per_minute'): void {
  const error = `Too many requests: over the limit ${limit}`
  assert.deepEqual([status, text], [429, JSON.stringify({ error })])
  assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
  assert.equal(headers['x-sharing-refused'], 'true')
}

describeOnce('a limit for each customer', () => {
  it('is a 429 for a customer above the limit, and does not affect other customers', async (t) => {
    const provider = await openTokenProvider(t, { rates: { customerPerMinute: 3 } })
    const ask = (path = accountsPath) => provider.ask(provider.mint(path), path)
    const search = () => {
      const headers = [
        ...['authorization', `Bearer ${provider.mint(searchPath)}`],
        ...['content-type', 'application/json'],
      ]
      return provider.send(searchPath, {
        method: 'POST',
        headers,
        body: '{"email":"a@example.com"}',
      })
    }

    const first = [await ask(), await ask(), await ask()]
    const more = [await ask(), await ask('/auth/v1/customer/c%31')]

    assert.deepEqual(
      first.map(({ status }) => status),
      [200, 200, 200],
    )
    for (const answer of more) assertTooMany(answer)
    assert.equal((await ask(otherPath)).status, 200)
    for (let round = 0; round < 5; round += 1) assert.equal((await search()).status, 200)
  })

  it('sends Retry-After', async (t) => {
    stopClock(t)
    const provider = await openTokenProvider(t, { rates: { customerPerMinute: 2 } })
    const ask = () => provider.ask(provider.mint(accountsPath))

    await ask()
    await ask()
    const { headers } = await ask()

    assert.equal(headers['retry-after'], '30')
  })

  it('is not used up by forged or replayed tokens', async (t) => {
    const provider = await openTokenProvider(t, { rates: { customerPerMinute: 2 } })
    const forger = makeKey('ES256', 'k1')
    const token = provider.mint(accountsPath)

    await assertPasses(provider, token)
    for (let round = 0; round < 5; round += 1) {
      assertRejected(await provider.ask(provider.mint(accountsPath, {}, {}, forger)))
      assertRejected(await provider.ask(token))
    }

    await assertPasses(provider, provider.mint(accountsPath))
    assertTooMany(await provider.ask(provider.mint(accountsPath)))
  })

  it('uses the token of a rejected request', async (t) => {
    const provider = await openTokenProvider(t, { rates: { customerPerMinute: 1 } })
    await assertPasses(provider, provider.mint(accountsPath))
    const token = provider.mint(accountsPath)

    assertTooMany(await provider.ask(token))

    assertRejected(await provider.ask(token))
  })
})

describeOnce('a limit for the whole provider', () => {
  it('is a 429 above the limit, and recovers', async (t) => {
    const clock = stopClock(t)
    const provider = await openTokenProvider(t, { rates: { providerPerSecond: 2 } })
    const ask = (path = accountsPath) => provider.ask(provider.mint(path), path)

    const answers = await Promise.all([ask(), ask(otherPath), ask(), ask(otherPath)])
    clock.pass(499)
    const early = await ask()
    clock.pass(1)
    const later = [await ask(), await ask()]

    const statuses = answers.map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [200, 200, 429, 429])
    assertTooMany(early, 'requests_per_second')
    assert.deepEqual(
      later.map(({ status }) => status),
      [200, 429],
    )
  })
})

describeOnce('limits on the command line', () => {
  it('apply to the process, and are off by default', async (t) => {
    const { startProvider, mint } = await openDeployment(t)
    const limited = await startProvider({ 'customer-requests-per-minute': '1' })
    const unlimited = await startProvider()
    const ask = async ({ port }: typeof unlimited) => {
      const headers = ['authorization', `Bearer ${mint(accountsPath)}`]
      return (await send(port, accountsPath, { headers })).status
    }

    assert.deepEqual([await ask(limited), await ask(limited)], [200, 429])
    for (let round = 0; round < 20; round += 1) assert.equal(await ask(unlimited), 200)
  })
})
