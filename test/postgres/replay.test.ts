import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openDeployment } from '../support/deployment.ts'
import { createScope, describeOn } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { loadInProcess } from '../support/load.ts'
import { makePostgres } from '../support/postgres.ts'
import type { Server } from '../support/process.ts'
import { accountsPath, smallBankLines } from '../support/small-bank.ts'

const tokens = 50
const requestsPerProcess = 2

describeOn('postgres', 'three processes on one database', () => {
  it('accept no token twice while one is killed and the database restarts', async (t) => {
    const scope = createScope(t)
    const server = await makePostgres({ durable: true })
    scope.after(() => server.remove())
    await server.start()
    await loadInProcess(server.url(), smallBankLines)
    const deployment = await openDeployment(scope, server.url())
    const start = () => deployment.startProvider({ 'log-level': 'silent' })
    const providers = await Promise.all([start(), start(), start()])
    const mint = () => deployment.mint(accountsPath)
    const request = async ({ port }: Server, token: string): Promise<number> => {
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
      if (turn === 10) await providers[0]?.kill()
      const restart =
        turn === 20 || turn === 35
          ? server.stop(turn === 20 ? 'fast' : 'crash').then(() => server.start())
          : undefined
      const token = mint()
      await Promise.all(
        Array.from({ length: requestsPerProcess * providers.length }, async (_, index) =>
          count(token, await request(providers[index % providers.length] as Server, token)),
        ),
      )
      await restart
    }
    const used = [...passes.keys()]
    const remaining = providers.slice(1)
    while ((await request(remaining[0] as Server, mint())) !== 200) await setTimeout(10)
    for (const token of used) {
      for (const provider of remaining) count(token, await request(provider, token))
    }

    assert.deepEqual(
      [...passes.values()].filter((times) => times !== 1),
      [],
    )
    assert.ok(used.length > tokens / 2, `${used.length} tokens accepted`)
    assert.deepEqual([...statuses].sort(), [0, 200, 401, 503])
  })
})
