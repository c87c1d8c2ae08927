import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { it } from 'node:test'
import Fastify from 'fastify'
import { httpLimits } from '../../src/http/limits.ts'
import { nodeHttp } from '../../src/http/node-http.ts'
import type { Source } from '../../src/server/index.ts'
import { describeOnce, type Scope } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { until } from '../support/until.ts'
import { accountsPath, customerPath, openSourceProvider, smallSource } from './source-provider.ts'

const searchPath = '/auth/v1/customer/search'

/** An application with a prefix for the provider, and with a route and a parser of its own. */
async function openApplication(scope: Scope, source: Source, prefix = '/bank') {
  const opened = await openSourceProvider(scope, source, {
    providerUrl: `https://bank.example${prefix}`,
  })
  const application = Fastify()
  application.get('/own', async () => ({ own: true }))
  application.setNotFoundHandler((_request, reply) => reply.status(404).send('not ours'))
  await application.register(opened.provider.plugin, { prefix })
  const address = await application.listen({ port: 0, host: '127.0.0.1' })
  scope.after(() => application.close())
  return { ...opened, application, address, prefix }
}

describeOnce('the plugin of a provider', () => {
  it('serves the operations at its prefix, beside the routes of the application', async (t) => {
    const { ask, address, prefix } = await openApplication(t, smallSource)

    const found = await ask(address, accountsPath, { prefix })
    assert.deepEqual(found.body?.data, { accounts: [{ accountId: 'a1', isOwned: true }] })
    const body = { email: 'ana@example.com' }
    const searched = await ask(address, searchPath, { prefix, method: 'POST', body })
    assert.deepEqual(searched.body, { data: [{ id: 'c1', name: 'Ana Silva' }] })
    assert.deepEqual((await send(address, '/own')).body, { own: true })
    assert.equal((await send(address, accountsPath)).text, 'not ours')
    assert.equal((await send(address, `${prefix}/health/ready`)).text, 'not ours')
  })

  it('may have a prefix that ends with a slash', async (t) => {
    const { ask, provider } = await openSourceProvider(t, smallSource)
    const application = Fastify()
    await application.register(provider.plugin, { prefix: '/bank/' })
    const address = await application.listen({ port: 0, host: '127.0.0.1' })
    t.after(() => application.close())

    assert.equal((await ask(address, accountsPath, { prefix: '/bank' })).status, 200)
  })

  it('answers as the server of the provider: tokens, methods, bodies and headers', async (t) => {
    const { provider, ask, address, prefix } = await openApplication(t, smallSource)
    const own = await provider.listen({ port: 0 })
    const volatile = ['date', 'x-fapi-interaction-id', 'connection', 'keep-alive']

    for (const [path, sent] of [
      [customerPath, {}],
      [`${accountsPath}?page=0`, {}],
      [customerPath, { method: 'PUT' }],
      [searchPath, { method: 'POST', body: '{"email":' }],
      [searchPath, { method: 'POST', body: Buffer.alloc(5_000_000, 0x20) }],
    ] as const) {
      const [here, there] = [
        await ask(address, path, { prefix, ...sent }),
        await ask(own, path, sent),
      ]
      const headersOf = ({ headers }: typeof here) =>
        Object.entries(headers).filter(([name]) => !volatile.includes(name))
      assert.deepEqual([here.status, here.text], [there.status, there.text])
      assert.deepEqual(headersOf(here), headersOf(there))
    }
    const rejected = await send(address, prefix + customerPath)
    assert.deepEqual([rejected.status, rejected.headers['www-authenticate']], [401, 'Bearer'])
    // The application decides how long an idle connection stays open.
    assert.equal(rejected.headers['keep-alive'], undefined)
  })

  it('rejects a prefix with parameters', async (t) => {
    const { provider } = await openSourceProvider(t, smallSource)

    const application = Fastify()
    application.register(provider.plugin, { prefix: '/:bank' })
    await assert.rejects(async () => application.ready(), /must not have parameters/)
  })

  it('limits the requests in flight on a connection of the application', async (t) => {
    const pending = Promise.withResolvers<void>()
    let calls = 0
    const { mint, address, prefix } = await openApplication(t, {
      ...smallSource,
      async getCustomer({ customerId: id }) {
        calls += 1
        await pending.promise
        return { id, name: 'Ana Silva' }
      },
    })
    const { pipelinedMax } = httpLimits
    const requests = Array.from({ length: pipelinedMax + 5 }, (_, index) => {
      const close = index === pipelinedMax + 4 ? 'Connection: close\r\n' : ''
      const head = `GET ${prefix}${customerPath} HTTP/1.1\r\nHost: bank\r\n${close}`
      return `${head}Authorization: Bearer ${mint(customerPath)}\r\n\r\n`
    })
    const socket = connect(Number(new URL(address).port), '127.0.0.1')
    socket.write(requests.join(''))
    await until(async () => calls === pipelinedMax)
    pending.resolve()

    const statuses = (await readText(socket)).match(/(?<=HTTP\/1\.1 )\d+/g) ?? []
    assert.equal(statuses.filter((status) => status === '200').length, pipelinedMax)
    assert.equal(statuses.filter((status) => status === '503').length, 5)
  })
})

describeOnce('the server of a provider', () => {
  it('sends all responses to pipelined requests in flight when the provider is closed', async (t) => {
    const pending = Promise.withResolvers<void>()
    let calls = 0
    const { provider, mint } = await openSourceProvider(t, {
      ...smallSource,
      async getCustomer({ customerId: id }) {
        calls += 1
        await pending.promise
        return { id, name: 'Ana Silva' }
      },
    })
    const address = await provider.listen({ port: 0 })
    const socket = connect(Number(new URL(address).port), '127.0.0.1')
    for (let count = 0; count < 3; count += 1) {
      const head = `GET ${customerPath} HTTP/1.1\r\nHost: bank\r\n`
      socket.write(`${head}Authorization: Bearer ${mint(customerPath)}\r\n\r\n`)
    }
    await until(async () => calls === 3)
    const closed = provider.close()
    const isRefused = () =>
      send(address, customerPath).then(
        () => false,
        () => true,
      )
    await until(isRefused)
    pending.resolve()

    assert.equal((await readText(socket)).match(/HTTP\/1\.1 200 /g)?.length, 3)
    await closed
  })
})

describeOnce('the request listener of a provider', () => {
  it('completes the requests in flight when the provider is closed, and then rejects others', async (t) => {
    const pending = Promise.withResolvers<void>()
    let isCalled = false
    const { provider, ask } = await openSourceProvider(t, {
      ...smallSource,
      async getCustomer({ customerId: id }) {
        isCalled = true
        await pending.promise
        return { id, name: 'Ana Silva' }
      },
    })
    const server = nodeHttp.createServer(provider.handle).listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

    const answer = ask(address, customerPath)
    await until(async () => isCalled)
    const closed = provider.close()
    const rejected = await ask(address, accountsPath)
    pending.resolve()

    assert.equal((await answer).status, 200)
    assert.deepEqual([rejected.status, rejected.headers['retry-after']], [503, '1'])
    assert.match(String(rejected.headers['x-fapi-interaction-id']), /^[0-9a-f-]{36}$/)
    assert.equal(await provider.isReady(), false)
    await closed
  })

  it('completes the requests in flight on a connection that another provider served before', async (t) => {
    const pending = Promise.withResolvers<void>()
    let isCalled = false
    const earlier = await openSourceProvider(t, smallSource)
    const later = await openSourceProvider(t, {
      ...smallSource,
      async getCustomer({ customerId: id }) {
        isCalled = true
        await pending.promise
        return { id, name: 'Ana Silva' }
      },
    })
    let current = earlier
    const server = nodeHttp
      .createServer((request, response) => current.provider.handle(request, response))
      .listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    const { port } = server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    const ask = (close = '') =>
      socket.write(
        `GET ${customerPath} HTTP/1.1\r\nHost: bank\r\n${close}Authorization: Bearer ${current.mint(customerPath)}\r\n\r\n`,
      )
    ask()
    await once(socket, 'data')
    current = later
    ask('Connection: close\r\n')
    await until(async () => isCalled)
    let isClosed = false
    const closed = later.provider.close().then(() => {
      isClosed = true
    })
    for (let count = 0; count < 50; count += 1) {
      assert.equal((await later.ask(`http://127.0.0.1:${port}`, accountsPath)).status, 503)
    }
    assert.equal(isClosed, false)
    pending.resolve()

    assert.match(await readText(socket), /^HTTP\/1\.1 200 /)
    await closed
  })
})
