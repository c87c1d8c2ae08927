import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import { savingsProduct } from '../../src/contract/examples/product.ts'
import {
  buildOpenApiDocument,
  ContractError,
  type ErrorCode,
  type ExplorerResult,
  examples,
  type Operation,
  operations,
} from '../../src/contract/index.ts'
import { buildPublishedDocument } from '../../src/platform/third-party-api/document.ts'
import { openDescription } from '../support/described-response.ts'
import { describeOnce } from '../support/engines.ts'
import type { Answer } from '../support/http.ts'
import { batchPath, sharedIntake } from '../support/intake.ts'
import { ask, isEnergy, type OperationRequest, refs } from '../support/operations.ts'
import { productPath, productsPath, sharedPlatform } from '../support/platform.ts'
import { sharedProvider } from '../support/provider.ts'
import { until } from '../support/until.ts'

const example = (name: string) => examples[name]?.[0] as { readonly accountId: string }
const bank = example('BankingAccount').accountId
const power = example('EnergyAccount').accountId
const holders = [{ customerId: 'cust-1' }]

/** The name of an error instead of a token produces this error. */
const provider = sharedProvider(
  [
    { type: 'customer', record: example('Customer') },
    { type: 'banking.account', holders, record: example('BankingAccount') },
    { type: 'banking.account', holders, record: { accountId: 'withheld' } },
    { type: 'banking.balance', record: { ...example('BankingBalance'), accountId: bank } },
    { type: 'banking.transaction', record: { ...example('BankingTransaction'), accountId: bank } },
    {
      type: 'banking.scheduledPayment',
      record: { ...example('ScheduledPayment'), from: { accountId: bank } },
    },
    {
      type: 'banking.directDebit',
      id: 'd1',
      record: { ...example('DirectDebit'), accountId: bank },
    },
    { type: 'energy.account', holders, record: example('EnergyAccount') },
    { type: 'energy.invoice', record: { ...example('EnergyInvoice'), accountId: power } },
    {
      type: 'energy.billing',
      id: 'b1',
      record: { ...example('EnergyBillingTransaction'), accountId: power },
    },
    { type: 'account.contact', accountId: bank, status: 'OPEN', record: example('AccountContact') },
    { type: 'account.contact', accountId: 'withheld', status: 'RESTRICTED' },
  ],
  {
    verifyToken: async ({ authorization: [name] }) => {
      if (name) throw new ContractError(name as ErrorCode)
      return { recorded: Promise.resolve() }
    },
  },
)
const platform = sharedPlatform({
  explorer: async () => example('ExplorerResult') as unknown as ExplorerResult,
})
const intake = sharedIntake()

describeOnce('the OpenAPI document', () => {
  const documents = {
    provider: buildOpenApiDocument('provider', '0.0.0'),
    platform: buildOpenApiDocument('platform', '0.0.0'),
    intake: buildOpenApiDocument('intake', '0.0.0'),
    'third-party': buildPublishedDocument('third-party', '0.0.0'),
  }
  const servers = { provider, platform, intake }

  for (const name of ['provider', 'platform', 'intake'] as const) {
    it(`is served by the ${name} to all callers, and may be cached`, async () => {
      const { status, headers, body } = await (await servers[name]()).send('/openapi.json')

      assert.equal(status, 200)
      assert.deepEqual(body, documents[name])
      assert.partialDeepStrictEqual(headers, {
        'access-control-allow-origin': '*',
        'cache-control': 'public, max-age=300',
        'content-type': 'application/json; charset=utf-8',
      })
      assert.match(headers['etag'] ?? '', /^"[\w-]+"$/)
    })
  }

  it('is served by the platform for every server, and for third parties', async () => {
    const { send } = await platform()
    for (const [name, document] of Object.entries(documents)) {
      const { status, headers, body } = await send(`/openapi/${name}.json`)

      assert.equal(status, 200)
      assert.deepEqual(body, document)
      assert.equal(headers['cache-control'], 'public, max-age=300')
    }
    for (const name of ['other', '__proto__', 'constructor']) {
      assert.equal((await send(`/openapi/${name}.json`)).status, 404, name)
    }
  })

  it('has a HEAD response with the same headers and no body', async () => {
    const { send } = await provider()
    const got = await send('/openapi.json')
    const head = await send('/openapi.json', { method: 'HEAD' })

    assert.deepEqual([head.status, head.text], [200, ''])
    assert.equal(head.headers['content-length'], String(Buffer.byteLength(got.text)))
    assert.equal(head.headers['etag'], got.headers['etag'])
  })

  it('is not sent again to a client that has it', async () => {
    const { send } = await provider()
    const { headers } = await send('/openapi.json')
    const sent = { 'if-none-match': headers['etag'] ?? '' }
    const answer = await send('/openapi.json', { headers: sent })

    assert.deepEqual([answer.status, answer.text], [304, ''])
    assert.equal(answer.headers['etag'], headers['etag'])
  })

  it('is named in the log', async () => {
    const { log, send } = await platform()
    await send('/openapi.json')

    await until(() => log.some((line) => line.includes('"operation":"openapi"')))
  })

  it('cannot be changed', async () => {
    const { send } = await provider()
    const { status, headers } = await send('/openapi.json', { method: 'POST', body: {} })

    assert.deepEqual([status, headers['allow']], [405, 'GET, HEAD'])
  })

  it('is sent to a limited number of slow clients at once', async () => {
    const { port, send } = await provider()
    const socket = connect(port, '127.0.0.1')
    const request = 'GET /openapi.json HTTP/1.1\r\nHost: holdfast\r\n'
    const others = `${request}\r\n`.repeat(20)
    socket.write(`${others}${request}Connection: close\r\n\r\n`)
    const statuses = (await text(socket)).match(/(?<=HTTP\/1\.1 )\d+/g) ?? []

    assert.equal(statuses.length, 21)
    assert.equal(statuses.filter((status) => status === '200').length, 16)
    assert.equal(statuses.filter((status) => status === '503').length, 5)
    assert.equal((await send('/openapi.json')).status, 200)
  })

  for (const ref of refs) {
    const accounts = [isEnergy(ref) ? power : bank]
    const query = 'oldest-time=2000-01-01T00%3A00%3A00Z&oldest-date=2000-01-01'
    const requests: Record<string, OperationRequest> = {
      'a success': { accounts, query },
      'an unknown customer': { accounts, customer: 'nope' },
      'an invalid page': { accounts, query: 'page=0' },
      'a rejected token': { accounts, headers: { authorization: 'unauthorized' } },
      'too many requests': { accounts, headers: { authorization: 'too_many_requests' } },
      'an unavailable database': { accounts, headers: { authorization: 'unavailable' } },
    }

    it(`describes the responses of ${ref}`, async () => {
      for (const [situation, request] of Object.entries(requests)) {
        const answer = await ask(await provider(), ref, { customer: 'cust-1', ...request })

        assert.deepEqual(findUndescribed('provider', ref, answer), [], situation)
        if (situation === 'a success') assert.equal(answer.status, 200, answer.text)
      }
    })
  }

  it('describes the response for a contact with the status RESTRICTED', async () => {
    const accounts = ['withheld']
    const answer = await ask(await provider(), 'contact', { customer: 'cust-1', accounts })

    assert.deepEqual([answer.status, answer.text], [200, ''])
    assert.deepEqual(findUndescribed('provider', 'contact', answer), [])
  })

  it('describes the responses of the catalogue', async () => {
    const { create, get, history, made, remove, replace, send } = await platform()
    const product = example('ProductInput')
    const id = await made(product)
    const path = productPath(id)
    const { headers } = await get(path)
    const answers: readonly (readonly [string, number, Answer])[] = [
      ['P1', 201, await create(product)],
      ['P1', 400, await create({})],
      ['P1', 401, await send(productsPath, { method: 'POST', body: product })],
      ['P2', 204, await replace(id, product)],
      ['P2', 404, await replace('nope', product)],
      ['P2', 412, await replace(id, product, { 'if-match': '"99"' })],
      ['P3', 200, await get(path)],
      ['P3', 304, await get(`${path}?version=1`, { 'if-none-match': headers['etag'] ?? '' })],
      ['P3', 404, await get(productPath('nope'))],
      ['P4', 200, await get(productsPath)],
      ['P4', 400, await get(`${productsPath}?page=0`)],
      ['P6', 200, await history(id)],
      ['P5', 204, await remove(id)],
    ]

    for (const [ref, status, answer] of answers) {
      assert.equal(answer.status, status, `${ref}: ${answer.text}`)
      assert.deepEqual(findUndescribed('platform', ref, answer), [], `${ref} ${status}`)
    }
  })

  it('describes the responses of the public endpoints', async () => {
    const { get, made, send } = await platform()
    const id = await made(savingsProduct)
    const base = '/cds-au/v1'
    const detail = `${base}/banking/products/{productId}`
    const paths = Object.entries(
      documents['third-party']['paths'] as Record<string, object>,
    ).filter(([path, item]) => path.startsWith(base) && isPublic(item))
    assert.equal(paths.length, 4)
    for (const [path] of paths) {
      const url = path.replace('{productId}', id)
      const answers: [number, Answer][] = [
        [400, await get(url)],
        [400, await get(url, { 'x-v': 'x' })],
        [406, await get(url, { 'x-v': '1', accept: 'text/html' })],
        [406, await get(url, { 'x-v': '999', 'x-min-v': '99' })],
      ]
      for (let version = 1; version <= 7; version += 1) {
        const answer = await get(url, { 'x-v': String(version) })
        if (answer.status === 406) continue
        const etag = { 'x-v': String(version), 'if-none-match': answer.headers['etag'] ?? '' }
        answers.push([200, answer])
        if (path !== `${base}/discovery/status`) answers.push([304, await get(url, etag)])
      }
      for (const [status, answer] of answers) {
        assert.equal(answer.status, status, `${url}: ${answer.text}`)
        assert.deepEqual(descriptions['third-party']('GET', path, answer), [], `${url} ${status}`)
      }
    }
    const unknown = await send(`${base}/banking/products/nope`, { headers: { 'x-v': '7' } })
    assert.equal(unknown.status, 404)
    assert.deepEqual(descriptions['third-party']('GET', detail, unknown), [])
  })

  it('describes the responses of the explorer', async () => {
    const { issueToken, register, send } = await platform()
    const token = await issueToken(await register(['data.read']))
    const headers = { authorization: `Bearer ${token}` }
    const call = (body: unknown) => send('/v1/explorer/calls', { method: 'POST', body, headers })
    const answers = [
      [200, await call({ operation: 'getCustomer', params: { customerId: 'cust-1' } })],
      [400, await call({ operation: 'other' })],
    ] as const

    for (const [status, answer] of answers) {
      assert.equal(answer.status, status, answer.text)
      assert.deepEqual(findUndescribed('platform', 'X1', answer), [])
    }
  })

  it('describes the responses of the intake', async () => {
    const { get, put, send } = await intake()
    const customer = JSON.stringify({ type: 'customer', record: example('Customer') })
    const answers: readonly (readonly [string, number, Answer])[] = [
      ['F1', 200, await put('core', 1, customer)],
      ['F1', 400, await put('core', 0, customer)],
      ['F1', 401, await send(batchPath('core', 2), { method: 'PUT' })],
      ['F1', 409, await put('core', 3, customer)],
      ['F1', 415, await put('core', 2, customer, { 'content-encoding': 'br' })],
      ['F1', 422, await put('core', 2, '{}')],
      ['F2', 200, await get('/v1/feeds')],
      ['F3', 200, await get('/v1/feeds/core')],
      ['F3', 404, await get('/v1/feeds/other')],
    ]

    for (const [ref, status, answer] of answers) {
      assert.equal(answer.status, status, `${ref}: ${answer.text}`)
      assert.deepEqual(findUndescribed('intake', ref, answer), [], `${ref} ${status}`)
    }
  })

  it('describes the responses of the token and key operations', async () => {
    const { client, send } = await platform()
    const credentials = { client_id: client.id, client_secret: client.secret }
    const form = new URLSearchParams({ grant_type: 'client_credentials', ...credentials })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const request = (body: unknown, more = {}) =>
      send('/v1/token', { method: 'POST', body, ...more })
    const answers: readonly (readonly [string, number, Answer])[] = [
      ['T1', 200, await request(credentials)],
      ['T1', 200, await request(form.toString(), { headers })],
      ['T1', 400, await request({})],
      ['T1', 401, await request({ ...credentials, client_secret: 'wrong' })],
      ['T2', 200, await send('/.well-known/jwks.json')],
    ]

    for (const [ref, status, answer] of answers) {
      assert.equal(answer.status, status, `${ref}: ${answer.text}`)
      assert.deepEqual(findUndescribed('platform', ref, answer), [], `${ref} ${status}`)
    }
  })

  const descriptions = {
    provider: openDescription(documents.provider),
    platform: openDescription(documents.platform),
    intake: openDescription(documents.intake),
    'third-party': openDescription(documents['third-party']),
  }

  /** What a response has and the document does not describe. */
  function findUndescribed(name: keyof typeof documents, ref: string, answer: Answer): string[] {
    const { mayBeEmpty, method, path } = findOperation(ref)
    const found = descriptions[name](method, path, answer)
    return mayBeEmpty && answer.text === '' ? found.filter((each) => each !== 'no body') : found
  }
})

const isPublic = (item: object) =>
  Object.values(item).every(({ security }) => security?.length === 0)

function findOperation(ref: string): Operation {
  const found = Object.values<Operation>(operations).find((operation) => operation.ref === ref)
  return found ?? assert.fail(`${ref} is no operation`)
}
