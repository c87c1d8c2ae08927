import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { closingTogether, describeOn } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { openKeyServer } from '../support/key-server.ts'
import { loadInProcess } from '../support/load.ts'
import { makePostgres } from '../support/postgres.ts'
import { type Server, startServer } from '../support/process.ts'
import { accountsPath } from '../support/small-bank.ts'
import { makeKey, mintToken, publicUrl, subdomain, validClaims } from '../support/tokens.ts'

const tokens = 150
const askersOfEach = 4

describeOn('postgres', 'four processes over one database', () => {
  it('let no token pass twice, while one is killed and the database starts again', async (t) => {
    const scope = closingTogether(t)
    const server = await makePostgres({ durable: true })
    scope.after(() => server.remove())
    await server.start()
    const account = { type: 'banking.account', holders: [{ customerId: 'c1' }] }
    await loadInProcess(
      server.url(),
      [
        { type: 'customer', record: { id: 'c1', name: 'Ana', email: 'a@example.com' } },
        { ...account, record: { accountId: 'a1' } },
      ],
      '2025-01-01T00:00:00Z',
    )
    const key = makeKey('ES256', 'k1')
    const keyServer = await openKeyServer([key.jwk])
    scope.after(() => keyServer.close())
    const start = () =>
      startServer(scope, ['serve', 'provider'], {
        database: server.url(),
        subdomain,
        'jwks-url': keyServer.url,
        'provider-url': publicUrl,
        'log-level': 'silent',
      })
    const providers = await Promise.all([start(), start(), start(), start()])
    const mint = () =>
      mintToken(
        validClaims(accountsPath, Date.now() / 1000),
        { alg: key.alg, kid: key.kid, typ: 'JWT' },
        key,
      )
    const ask = async ({ port }: Server, token: string): Promise<number> => {
      const headers = ['authorization', `Bearer ${token}`]
      return send(port, accountsPath, { headers }).then(
        ({ status }) => status,
        () => 0,
      )
    }

    const passes = new Map<string, number>()
    const statuses = new Set<number>()
    const count = (token: string, status: number): void => {
      statuses.add(status)
      if (status === 200) passes.set(token, (passes.get(token) ?? 0) + 1)
    }
    for (let turn = 0; turn < tokens; turn += 1) {
      if (turn === 30) await providers[0]?.kill()
      const restart =
        turn === 60 || turn === 100
          ? server.stop(turn === 60 ? 'fast' : 'crash').then(() => server.start())
          : undefined
      const token = mint()
      await Promise.all(
        Array.from({ length: askersOfEach * providers.length }, async (_, index) =>
          count(token, await ask(providers[index % providers.length] as Server, token)),
        ),
      )
      await restart
    }
    const spent = [...passes.keys()]
    const living = providers.slice(1)
    while ((await ask(living[0] as Server, mint())) !== 200) await setTimeout(10)
    for (const token of spent) {
      for (const provider of living) count(token, await ask(provider, token))
    }

    assert.deepEqual(
      [...passes.values()].filter((times) => times !== 1),
      [],
    )
    assert.ok(spent.length > tokens / 2, `${spent.length} tokens passed`)
    assert.deepEqual([...statuses].sort(), [0, 200, 401, 503])
  })
})
