import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openProviderApp } from '../../src/http/provider-app.ts'
import { createScope, describeOnce } from '../support/engines.ts'
import { forwardAll } from '../support/guard-server.ts'
import { send } from '../support/http.ts'
import { accountsPath } from '../support/small-bank.ts'
import { accountsPage, openUpstream } from '../support/upstream.ts'

const upstreamMs = 800

describeOnce('a slow upstream', () => {
  it('does not lower the concurrency limit of the guard', async (t) => {
    const scope = createScope(t)
    const upstream = await openUpstream(scope, (response) => {
      response.setHeader('content-type', 'application/json')
      setTimeout(() => response.end(accountsPage), upstreamMs)
    })
    const app = openProviderApp({
      version: '0.0.0',
      responders: forwardAll(scope, upstream.address),
      guard: async () => ({ recorded: Promise.resolve() }),
      limits: { inFlightMin: 1, latencyTargetMs: upstreamMs / 2 },
    })
    const address = await app.listen({ host: '127.0.0.1', port: 0 })
    scope.after(() => app.close())
    const ask = () => send(address, accountsPath)

    // The rounds overlap: the limit is reset when nothing is in flight.
    const answers = []
    for (let round = 0; round < 5; round += 1) {
      const first = ask()
      answers.push(first, ...Array.from({ length: 4 }, ask))
      await Promise.race([first, new Promise((resolve) => setTimeout(resolve, upstreamMs / 2))])
    }

    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    assert.deepEqual(new Set(statuses), new Set([200]))
  })
})
