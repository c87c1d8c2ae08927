import assert from 'node:assert/strict'
import { it } from 'node:test'
import { minimalProduct } from '../catalogue/products.ts'
import { openDeployment } from '../support/deployment.ts'
import { describeOnce } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { callPlatform, productPath, requestToken } from '../support/platform.ts'
import { startServer } from '../support/process.ts'

describeOnce('a platform with two workers', () => {
  it('serves one catalogue from both workers, and limits failed authentication across them', async (t) => {
    const deployment = await openDeployment(t)
    const credentials = await deployment.addClient()
    const served = await startServer(t, ['serve', 'platform'], {
      database: deployment.database,
      workers: '2',
    })
    const { port } = served
    const caller = callPlatform(port, await requestToken(port, credentials))

    const id = await caller.made(minimalProduct)
    // Each on a new connection: connections go to the workers in turn.
    const headers = { connection: 'close' }
    const reads = await Promise.all(
      Array.from({ length: 10 }, () => caller.get(productPath(id), headers)),
    )
    const body = { client_id: credentials.id, client_secret: 'wrong' }
    const failures: number[] = []
    for (let count = 0; count < 30; count += 1) {
      failures.push((await send(port, '/v1/token', { method: 'POST', body, headers })).status)
    }

    assert.equal(served.workers().length, 2)
    assert.deepEqual(new Set(reads.map(({ status }) => status)), new Set([200]))
    const rejected = failures.filter((status) => status === 401).length
    // A burst of ten for both workers together, and a few that are refilled while the test runs.
    assert.ok(rejected >= 10 && rejected < 20, `${rejected} of 30 got a 401`)
    assert.ok(failures.every((status) => status === 401 || status === 429))
    assert.equal((await send(port, '/health/ready')).status, 200)
  })
})
