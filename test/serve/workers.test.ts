import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { type Deployment, openDeployment } from '../support/deployment.ts'
import { createScope, describeOnce } from '../support/engines.ts'
import type { Server } from '../support/process.ts'
import { until } from '../support/until.ts'

const path = '/auth/v1/customer/c1'

describeOnce('two workers on one port', () => {
  const closing = createScope({ after })
  let deployment: Deployment
  let server: Server

  const ask = async (token = deployment.mint(path)) =>
    (await fetch(server.address + path, { headers: { authorization: `Bearer ${token}` } })).status

  before(async () => {
    deployment = await openDeployment(closing)
    server = await deployment.startProvider({ workers: '2' })
  })

  it('accept exactly one of a hundred concurrent uses of a token', async () => {
    const token = deployment.mint(path)

    const statuses = await Promise.all(Array.from({ length: 100 }, () => ask(token)))

    assert.equal(statuses.filter((status) => status === 200).length, 1)
    assert.equal(statuses.filter((status) => status === 401).length, 99)
  })

  it('continue to serve when one of them is killed, and it is replaced', async () => {
    const [killed = 0] = server.workers()

    process.kill(killed, 'SIGKILL')
    await until(() => server.stderr().includes(`"pid":${killed},`))
    await until(async () => {
      assert.equal(await ask(), 200)
      return server.workers().length === 2
    })

    assert.ok(!server.workers().includes(killed))
  })

  it('exit with 0 when the supervisor receives SIGTERM', async () => {
    assert.equal(await server.stop(), 0)
    await assert.rejects(ask())
  })
})
