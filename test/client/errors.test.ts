import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import {
  type ClientOptions,
  ConnectionError,
  InvalidResponseError,
  ResponseError,
  TimeoutError,
} from '../../src/client/index.ts'
import { createScope } from '../support/engines.ts'
import { findFreePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'
import { catchError, open, params, secret, skipWaits } from './failing-call.ts'
import { type FixedResponse, respondWith } from './respond.ts'

async function openRespond(t: TestContext, response: FixedResponse) {
  return respondWith(createScope(t), () => response)
}

/** A server that handles the raw connection. */
async function openRaw(t: TestContext, onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    onConnection(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('an error of the client', () => {
  it('is a ConnectionError with the code of the system if the provider is unreachable', async () => {
    const url = `http://127.0.0.1:${await findFreePort()}`

    const error = await catchError(open(url).getCustomer({ params }))

    assert.ok(error instanceof ConnectionError)
    assert.equal(error.name, 'ConnectionError')
    assert.equal(error.message, `no response from ${url}: ECONNREFUSED`)
    assert.equal(error.operation, 'getCustomer')
    assert.equal((error.cause as NodeJS.ErrnoException).code, 'ECONNREFUSED')
  })

  it('is a ConnectionError if the connection breaks before or within the body', async (t) => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"id":'
    const before = await openRaw(t, (socket) => socket.destroy())
    const within = await openRaw(t, (socket) => socket.once('data', () => socket.end(head)))

    for (const url of [before, within]) {
      const error = await catchError(open(url).getCustomer({ params }))
      assert.ok(error instanceof ConnectionError, inspect(error))
      assert.ok(error.cause instanceof Error)
    }
  })

  it('is a TimeoutError if the head or the body of the response takes too long', async (t) => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"id":'
    const silent = await openRaw(t, () => {})
    const stalled = await openRaw(t, (socket) => socket.once('data', () => socket.write(head)))

    for (const url of [silent, stalled]) {
      const error = await catchError(open(url, { timeoutMs: 50 }).getCustomer({ params }))
      assert.ok(error instanceof TimeoutError, inspect(error))
      assert.equal(error.message, `no response from ${url} within 50 ms`)
      assert.equal((error.cause as Error).name, 'TimeoutError')
    }
  })

  it('is not used for input that cannot be sent', async () => {
    const url = `http://127.0.0.1:${await findFreePort()}`
    const body = { email: 1n as unknown as string }

    await assert.rejects(open(url).searchCustomers({ params: {}, body }), { name: 'TypeError' })
  })

  it('is thrown after retries that wait at most 30 seconds each', async (t) => {
    const waits: number[] = []
    skipWaits(t, (ms) => waits.push(ms))
    // The first waits are skipped: only the later ones of an exponential backoff are long.
    const stated = ['0', '0', '0', '0', '0', '0', '0', '0', '0', '0', '3600', '-5', '']
    const { url } = await respondWith(createScope(t), () => {
      const seconds = stated.shift()
      const headers = seconds ? { 'retry-after': seconds } : {}
      return { status: 503, body: '{"error":"Service unavailable"}', headers }
    })

    await catchError(open(url, { retriesMax: 13 }).getCustomer({ params }))

    assert.deepEqual(waits, [30_000, 30_000, 30_000])
  })

  it('has the reason of the signal that ended the call, during a request or before a retry', async (t) => {
    let connections = 0
    const silent = await openRaw(t, () => {
      connections += 1
    })
    const { url, seen } = await respondWith(createScope(t), () => ({
      status: 503,
      body: '{"error":"Service unavailable"}',
      headers: { 'retry-after': '30' },
    }))

    for (const [providerUrl, isCalled] of [
      [silent, () => connections > 0],
      [url, () => seen.length > 0],
    ] as const) {
      const controller = new AbortController()
      const { signal } = controller
      const client = open(providerUrl, { retriesMax: 3 })
      const failure = catchError(client.listBankingAccounts({ params, signal }))
      await until(isCalled)
      controller.abort()
      const error = await failure
      assert.equal(error.name, 'ClientError')
      assert.equal(error.message, 'the call was aborted')
      assert.equal(error.cause, signal.reason)
      const pages = client.listBankingAccounts.pages({ params, signal })
      assert.equal((await catchError(pages.next())).message, 'the call was aborted')
    }
    // The attempt was not repeated.
    assert.ok(seen.length <= 1, `${seen.length}`)
  })

  it('is the last response if the time limit of the call ends before a retry', async (t) => {
    const { url, seen } = await respondWith(createScope(t), () => ({
      status: 429,
      body: '{"error":"Too many requests"}',
      headers: { 'retry-after': '30', 'x-sharing-refused': 'true' },
    }))
    const limit = new AbortController()
    skipWaits(t, () => limit.abort(new DOMException('', 'TimeoutError')))
    const { signal } = limit

    const error = await catchError(open(url, { retriesMax: 3 }).getCustomer({ params, signal }))

    assert.ok(error instanceof ResponseError)
    assert.deepEqual([error.status, error.isRefusal, seen.length], [429, true, 1])
  })

  it('is thrown after the retries, each with a new connection', async (t) => {
    let connections = 0
    const url = await openRaw(t, (socket) => {
      connections += 1
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{'))
    })

    await catchError(open(url, { retriesMax: 1 }).getCustomer({ params }))

    assert.equal(connections, 2)
  })

  it('is a ResponseError for an error response, with a bounded text', async (t) => {
    const body = JSON.stringify({ error: 'x'.repeat(100_000) })
    const headers = { 'x-fapi-interaction-id': 'i-1' }
    const { url } = await openRespond(t, { status: 400, body, headers })

    const error = await catchError(open(url).getCustomer({ params }))

    assert.ok(error instanceof ResponseError)
    assert.equal(error.message, `${'x'.repeat(1000)}…`)
    assert.deepEqual(
      [error.status, error.interactionId, error.operation],
      [400, 'i-1', 'getCustomer'],
    )
  })

  it('says that a response with the header is a refusal to share, and that others are not', async (t) => {
    const body = '{"error":"Account not found"}'
    const headers = { 'X-Sharing-Refused': 'true' }
    const responses = [
      { status: 404, body, headers },
      { status: 404, body },
      { status: 404, body, headers: { 'X-Sharing-Refused': 'false' } },
    ]
    const { url } = await respondWith(createScope(t), () => responses.shift() ?? assert.fail())

    const refusals: boolean[] = []
    while (responses.length > 0) {
      const error = await catchError(open(url).getCustomer({ params }))
      assert.ok(error instanceof ResponseError)
      refusals.push(error.isRefusal)
    }

    assert.deepEqual(refusals, [true, false, false])
  })

  it('escapes control characters in the error text, so that it can be logged and displayed', async (t) => {
    const body = JSON.stringify({ error: 'a\u001b[2J\nb\u202e' })
    const { url } = await openRespond(t, { status: 400, body })

    const error = await catchError(open(url).getCustomer({ params }))

    assert.equal(error.message, 'a\\u001b[2J\\u000ab\\u202e')
  })

  for (const [name, body, reason] of [
    ['has no body', '', 'empty'],
    ['is not JSON', `{"name":"${secret}`, 'not JSON'],
    ['is not UTF-8', Uint8Array.of(0x22, 0xff, 0x22), 'not JSON'],
    ['is not an object', `["${secret}"]`, 'not a JSON object'],
    ['is null', 'null', 'not a JSON object'],
    ['has no list', `{"data":{"name":"${secret}"}}`, 'data.transactions is not a list'],
    ['has no data', `{"transactions":["${secret}"]}`, 'data.transactions is not a list'],
    [
      'has a record that is not an object',
      `{"data":{"transactions":["${secret}"]}}`,
      'data.transactions has an element that is not an object',
    ],
  ] as const) {
    it(`is an InvalidResponseError for a page that ${name}`, async (t) => {
      const headers = { 'x-fapi-interaction-id': 'i-1' }
      const { url, seen } = await openRespond(t, { status: 200, body, headers })

      const call = open(url, { retriesMax: 2 }).listBankingTransactions({ params })
      const error = await catchError(call)

      assert.ok(error instanceof InvalidResponseError, inspect(error))
      assert.equal(error.message, `invalid response: ${reason}`)
      assert.equal((error.cause as Error).message, reason)
      assert.deepEqual([error.operation, error.interactionId], ['listBankingTransactions', 'i-1'])
      assert.equal(seen.length, 1)
    })
  }

  it('is an InvalidResponseError for a redirect, which is not followed', async (t) => {
    const { url, seen } = await openRespond(t, {
      status: 307,
      body: '',
      headers: { location: `/${secret}` },
    })

    const error = await catchError(open(url, { retriesMax: 2 }).getCustomer({ params }))

    assert.ok(error instanceof InvalidResponseError)
    assert.match(error.message, /redirect/)
    assert.equal(seen.length, 1)
  })

  it('is an InvalidResponseError for a response that is not HTTP or wrongly compressed', async (t) => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 5\r\n\r\n'
    const noHttp = await openRaw(t, (socket) => socket.once('data', () => socket.end(secret)))
    const noGzip = await openRaw(t, (socket) =>
      socket.once('data', () => socket.end(head + secret)),
    )

    for (const url of [noHttp, noGzip]) {
      const error = await catchError(open(url).getCustomer({ params }))
      assert.ok(error instanceof InvalidResponseError, inspect(error))
      assert.match(error.message, /^invalid response: invalid HTTP: ./)
    }
  })

  it('is an InvalidResponseError for a body beyond the limit, compressed or not', async (t) => {
    const body = JSON.stringify({ id: 'c', name: 'x'.repeat(5000), email: 'a@example.com' })
    const plain = await openRespond(t, { status: 200, body })
    const headers = { 'content-encoding': 'gzip' }
    const compressed = await openRespond(t, { status: 200, body: gzipSync(body), headers })

    for (const { url } of [plain, compressed]) {
      const exact = { responseBytesMax: body.length }
      assert.equal((await open(url, exact).getCustomer({ params })).id, 'c')
      const call = open(url, { responseBytesMax: body.length - 1 }).getCustomer({ params })
      const error = await catchError(call)
      assert.ok(error instanceof InvalidResponseError)
      assert.match(error.message, /larger than \d+ bytes \(responseBytesMax\)/)
    }
  })
})

describe('the links of a list', () => {
  const page = (next: unknown) => JSON.stringify({ data: { transactions: [{}] }, links: { next } })
  const read = (url: string, options: Partial<ClientOptions> = {}) =>
    Array.fromAsync(open(url, options).listBankingTransactions.items({ params }))

  it('are followed with or without a leading separator, up to a page without next', async (t) => {
    const following: Record<string, unknown> = {
      '': 'page=2&x=a%2Fb',
      'page=2&x=a%2Fb': '?page=3',
      'page=3': '&page=4',
      'page=4': null,
    }
    const { url, seen } = await respondWith(createScope(t), (request) => {
      const [, query = ''] = request.url.split('?')
      return { status: 200, body: page(following[query]) }
    })

    assert.equal((await read(url)).length, 4)
    const path = `/v1/banking/customer/${secret}/accounts/${secret}/transactions`
    assert.deepEqual(
      seen.map((request) => request.url),
      [path, `${path}?page=2&x=a%2Fb`, `${path}?page=3`, `${path}?page=4`],
    )
  })

  for (const next of [
    `https://evil.example/${secret}?page=2`,
    '//evil.example/?page=2',
    '/v1/other?page=2',
    '../../x?page=2',
    'page=2#x',
    'page=2 x',
    'page',
    '',
    '??page=2',
    `page=2&text=${'x'.repeat(10_000)}`,
    2,
    { page: 2 },
  ]) {
    it(`are rejected if next is ${inspect(next).slice(0, 40)}`, async (t) => {
      const { url, seen } = await openRespond(t, { status: 200, body: page(next) })

      const error = await catchError(read(url))

      assert.ok(error instanceof InvalidResponseError)
      assert.match(error.message, /links\.next is not a query string/)
      assert.equal(seen.length, 1)
    })
  }

  it('are rejected if they lead back to a page that was read', async (t) => {
    const { url, seen } = await respondWith(createScope(t), (request) => ({
      status: 200,
      body: page(request.url.endsWith('page=2') ? 'page=3' : 'page=2'),
    }))

    const error = await catchError(read(url))

    assert.ok(error instanceof InvalidResponseError)
    assert.match(error.message, /already read/)
    assert.equal(seen.length, 3)
  })

  it('are rejected after the maximum number of pages', async (t) => {
    let number = 1
    const { url, seen } = await respondWith(createScope(t), () => {
      number += 1
      return { status: 200, body: page(`page=${number}`) }
    })

    const error = await catchError(read(url, { pagesMax: 5 }))

    assert.ok(error instanceof InvalidResponseError)
    assert.match(error.message, /more than 5 pages \(pagesMax\)/)
    assert.equal(seen.length, 5)
  })
})

describe('the options of the client', () => {
  for (const [name, options] of Object.entries({
    providerUrl: { providerUrl: 'bank.example' },
    'providerUrl with credentials': { providerUrl: 'https://user:hunter2@bank.example' },
    'providerUrl with a query': { providerUrl: 'https://bank.example/?x=1' },
    resourceUrl: { resourceUrl: 'ftp://bank.example' },
    accountVersion: { accountVersion: 5 as 4 },
    retriesMax: { retriesMax: -1 },
    timeoutMs: { timeoutMs: Number.NaN },
    responseBytesMax: { responseBytesMax: 0 },
    pagesMax: { pagesMax: 1.5 },
  })) {
    it(`reject an invalid ${name}, without repeating it`, () => {
      const [field = ''] = name.split(' ')

      assert.throws(
        () => open('https://bank.example', options),
        (error: Error) =>
          error.message.startsWith(`${field} must be `) && !/hunter2/.test(error.message),
      )
    })
  }
})
