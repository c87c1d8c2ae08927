import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openDeployment } from '../support/deployment.ts'
import { describe } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { until } from '../support/until.ts'
import { countCalls, readCounts } from '../usage/counts.ts'

/** What a process that is killed may lose. */
const lostMaxMs = 60_000

describe('the counts of calls of a platform that is killed', () => {
  it('have all calls but those of the last minute, and none twice', async (t) => {
    const { database, startPlatform } = await openDeployment(t)
    const callProducts = async ({ port }: { readonly port: number }, count: number) => {
      for (let call = 0; call < count; call += 1) {
        const path = '/cds-au/v1/banking/products'
        assert.equal((await send(port, path, { headers: { 'x-v': '4' } })).status, 200)
      }
    }
    const readCount = async () => countCalls(await readCounts(database))
    const server = await startPlatform()

    await callProducts(server, 5)
    const called = performance.now()
    await until(async () => (await readCount()) === 5)
    const waitedMs = performance.now() - called
    await callProducts(server, 3)
    await server.kill()

    assert.ok(waitedMs < lostMaxMs, `${waitedMs} ms`)
    const kept = await readCount()
    assert.ok(kept === 5 || kept === 8, `${kept} calls`)
    const next = await startPlatform()
    await callProducts(next, 2)
    await next.stop()
    assert.equal(await readCount(), kept + 2)
  })
})
