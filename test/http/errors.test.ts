import assert from 'node:assert/strict'
import { it } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, describeOnce } from '../support/engines.ts'
import type { Answer, Sent } from '../support/http.ts'
import * as lines from '../support/lines.ts'
import {
  ask,
  createBody,
  formatPath,
  getOperation,
  isEnergy,
  pagedRefs,
  type Ref,
  refs,
  refsWithBody,
  refsWithPath,
} from '../support/operations.ts'
import { sharedProvider } from '../support/provider.ts'

const json = { 'content-type': 'application/json' }
/** For requests after which the connection cannot be reused. */
const close = { connection: 'close' }
const tooLarge = { headers: { ...json, ...close }, announced: 64 * 1024 * 1024 }
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const provider = sharedProvider([
  lines.customer('ana'),
  lines.bankingAccount('a1', { ana: true }),
  lines.balance('a1'),
  lines.contact('a1'),
  lines.energyAccount('e1', ['ana']),
])
/** A provider with a bug. */
const failing = sharedProvider([], async () => ({
  database: (await provider()).database,
  around: (store) => ({
    ...store,
    readCustomer: () => Promise.reject(new Error('select secret from /var/lib/customer')),
  }),
}))

function accountsFor(ref: Ref): string[] {
  return [isEnergy(ref) ? 'e1' : 'a1']
}

function assertRejected(answer: Answer, status: number, error: string | RegExp): void {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  assert.deepEqual(Object.keys(answer.body), ['error'])
  if (typeof error === 'string') assert.equal(answer.body.error, error)
  else assert.match(answer.body.error, error)
}

describe('a 404 or 422', () => {
  for (const ref of refs.filter((ref) => ref !== 'C1')) {
    it(`is the response to an unknown customer on ${ref}`, async () => {
      const here = await provider()
      const accounts = accountsFor(ref)

      for (const customer of ['missing', 'ANA', 'ana ', 'a1', '%', "' or 1=1 --"]) {
        const answer = await ask(here, ref, { customer, accounts })

        assertRejected(answer, 404, 'Customer not found')
      }
    })
  }

  for (const ref of refsWithPath) {
    it(`is the response to an unknown account on ${ref}`, async () => {
      const here = await provider()

      for (const account of ['nothing', 'ana', 'A1', 'E1', '%', '%25', "' or 1=1 --"]) {
        const answer = await ask(here, ref, { accounts: [account] })

        assertRejected(answer, 404, 'Account not found')
      }
    })
  }

  for (const ref of refsWithBody) {
    it(`is the response to an unknown account in the body of ${ref}`, async () => {
      const answer = await ask(await provider(), ref, { accounts: ['nothing'] })

      assertRejected(answer, 422, 'Account in query not found')
    })
  }

  for (const path of [
    '/',
    '/v1',
    '/v1/banking/customer/ana',
    '/v1/banking/customer/ana/accounts/',
    '/v1/banking/customer//accounts',
    '/V1/banking/customer/ana/accounts',
    '/v2/banking/customer/ana/accounts',
    '/v1/water/customer/ana/accounts',
    '/fdx/v5/customer/ana/accounts/a1/contact',
    '/customer/ana',
    '/auth/v1/customer',
    '/v1/data-provider/cdr/products',
    '/v1/data-provider/cdr/products/p1',
    '//auth/v1/customer/ana',
    '/auth/v1/customer/ana/accounts/a1/b2',
  ]) {
    it(`is the response to the unknown route ${path}`, async () => {
      const { send } = await provider()

      for (const method of ['GET', 'PUT', 'DELETE']) {
        const answer = await send(path, { method })

        assertRejected(answer, 404, 'Resource not found')
        assert.equal(answer.headers['allow'], undefined)
      }
    })
  }
})

describeOnce('a method that a route does not support', () => {
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']
  const request = (ref: Ref) => ({ accounts: accountsFor(ref) })

  /** The methods of all operations with this path; the path of C1 also matches C3. */
  function methodsOf(path: string): string[] {
    return refs
      .filter((ref) => {
        const segments = getOperation(ref).path.split('/')
        const actual = path.split('/')
        return (
          segments.length === actual.length &&
          segments.every((segment, index) => /^\{/.test(segment) || segment === actual[index])
        )
      })
      .map((ref) => getOperation(ref).method)
      .sort()
  }

  for (const ref of refs) {
    it(`is rejected by ${ref} with the allowed methods`, async () => {
      const { send } = await provider()
      const path = formatPath(ref, request(ref))
      const allowed = methodsOf(path)

      for (const method of methods.filter((each) => !allowed.includes(each))) {
        const answer = await send(path, { method })

        assertRejected(answer, 405, 'Method not allowed')
        assert.deepEqual(answer.headers['allow']?.split(', ').sort(), allowed)
      }
    })
  }
})

describeOnce('a body is rejected', () => {
  for (const [name, type] of [
    ['a form', 'application/x-www-form-urlencoded'],
    ['XML', 'application/xml'],
    ['plain text', 'text/plain'],
    ['plain text in UTF-8', 'text/plain; charset=utf-8'],
    ['binary data', 'application/octet-stream'],
    ['JSONP', 'application/jsonp'],
    ['no content type', undefined],
    ['an empty content type', ''],
    ['an invalid content type', 'json'],
  ] as const) {
    it(`with the type of ${name}`, async () => {
      const { send } = await provider()

      for (const ref of [...refsWithBody, 'C1'] as const) {
        const body = JSON.stringify(createBody(ref, { accounts: accountsFor(ref) }))
        const headers = type === undefined ? [] : ['content-type', type]
        const answer = await send(formatPath(ref, {}), { method: 'POST', headers, body })

        assertRejected(answer, 415, /application\/json/)
      }
    })
  }

  for (const [coding, compress] of [
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['identity, gzip', gzipSync],
    ['gzip', Buffer.from],
  ] as const) {
    it(`with the content encoding ${coding}, after ${compress.name}`, async () => {
      const { send } = await provider()
      const headers = { ...json, 'content-encoding': coding }

      for (const ref of [...refsWithBody, 'C1'] as const) {
        const text = JSON.stringify(createBody(ref, { accounts: accountsFor(ref) }))
        const body = compress(text)
        const answer = await send(formatPath(ref, {}), { method: 'POST', headers, body })

        assertRejected(answer, 415, /^The request body must not be compressed$/)
      }
    })
  }

  it('never for the content encoding identity', async () => {
    const { send } = await provider()
    const headers = { ...json, 'content-encoding': 'Identity' }
    const body = createBody('B2', { accounts: ['a1'] })

    assert.equal((await send(formatPath('B2', {}), { method: 'POST', headers, body })).status, 200)
  })

  for (const type of [
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/json;x=y',
  ]) {
    it(`but not with another spelling of JSON: ${type}`, async () => {
      const { post } = await provider()

      const { status } = await post(
        formatPath('C1', {}),
        { email: 'a@b.c' },
        { 'content-type': type },
      )

      assert.equal(status, 200)
    })
  }

  it('if it is too large', async () => {
    const { send } = await provider()

    for (const ref of [...refsWithBody, 'C1'] as const) {
      const answer = await send(formatPath(ref, {}), { method: 'POST', ...tooLarge })

      assertRejected(answer, 413, /too large/)
    }
  })

  for (const [name, character] of [
    ['of the basic multilingual plane', '\\u65e5'],
    ['outside it', '\\ud83e\\udd89'],
  ] as const) {
    it(`but not for a thousand ids of 256 escaped characters ${name}`, async () => {
      const { send } = await provider()
      const id = `"${character.repeat(256)}"`
      const body = `{"data":{"accountIds":[${Array(1000).fill(id).join(',')}]}}`

      const answer = await send(formatPath('B2', {}), {
        method: 'POST',
        headers: { ...json, ...close },
        body,
      })

      assertRejected(answer, 422, 'Account in query not found')
    })
  }
})

describeOnce('the order of checks', () => {
  for (const [name, sent] of Object.entries<Sent>({
    'an invalid body': { headers: json, body: '{' },
    'an empty body': { headers: { ...json, 'content-length': '0' } },
    'a body of another type': { headers: { 'content-type': 'application/xml' }, body: '<a/>' },
    'a body that is too large': tooLarge,
  })) {
    it(`checks the route first, before ${name}`, async () => {
      const { send } = await provider()

      const nowhere = await send('/nowhere', { method: 'POST', ...sent })
      const wrongMethod = await send('/auth/v1/customer/ana', { method: 'POST', ...sent })

      assertRejected(nowhere, 404, 'Resource not found')
      assertRejected(wrongMethod, 405, 'Method not allowed')
      assert.equal(wrongMethod.headers['allow'], 'GET')
    })
  }

  it('checks the route first, before parameters', async () => {
    const { send } = await provider()

    const nowhere = await send('/v1/banking/customer/ana/nowhere?page=zero')
    const wrongMethod = await send(`${formatPath('B1', {})}?page=zero`, { method: 'DELETE' })

    assertRejected(nowhere, 404, 'Resource not found')
    assertRejected(wrongMethod, 405, 'Method not allowed')
  })

  for (const ref of pagedRefs) {
    it(`checks parameters before customer and account on ${ref}`, async () => {
      const answer = await ask(await provider(), ref, {
        customer: 'missing',
        accounts: ['nothing'],
        query: 'page=zero',
      })

      assertRejected(answer, 400, /^page must be /)
    })

    it(`checks the customer before the account on ${ref}`, async () => {
      const answer = await ask(await provider(), ref, {
        customer: 'missing',
        accounts: ['nothing'],
      })

      assertRejected(answer, 404, 'Customer not found')
    })
  }

  for (const ref of refsWithBody) {
    it(`checks the body before customer and account on ${ref}`, async () => {
      const { post } = await provider()
      const path = formatPath(ref, { customer: 'missing' })

      assertRejected(await post(path, '{'), 400, /\bJSON\b/)
      assertRejected(await post(path, {}), 400, /^data /)
      assertRejected(
        await post(path, { data: { accountIds: [1] } }),
        400,
        /^data\.accountIds\[0\] /,
      )
    })
  }
})

describeOnce('a bug', () => {
  it('is a 500 that reveals nothing', async () => {
    const { get } = await failing()

    const answer = await get('/auth/v1/customer/ana')

    assertRejected(answer, 500, 'Internal error')
    assert.doesNotMatch(answer.text, /select|secret|var|stack/)
  })
})

describeOnce('the interaction id', () => {
  const given = '7f2f5c1e-9a3b-4c5d-8e6f-0123456789AB'
  const cases: Readonly<Record<string, readonly [number, string, Sent]>> = {
    success: [200, '/auth/v1/customer/ana', {}],
    'an empty success': [200, '/v1/energy/customer/ana/accounts', {}],
    'an invalid parameter': [400, '/v1/banking/customer/ana/accounts?page=0', {}],
    'an invalid path': [400, '/auth/v1/customer/%zz', {}],
    'an invalid body': [
      400,
      '/auth/v1/customer/search',
      { method: 'POST', headers: json, body: '{' },
    ],
    'an unknown customer': [404, '/auth/v1/customer/missing', {}],
    'an unknown route': [404, '/nowhere', {}],
    'a wrong method': [405, '/auth/v1/customer/ana', { method: 'DELETE' }],
    'a body that is too large': [413, '/auth/v1/customer/search', { method: 'POST', ...tooLarge }],
    'another media type': [
      415,
      '/auth/v1/customer/search',
      { method: 'POST', headers: { 'content-type': 'text/xml' }, body: '<a/>' },
    ],
    'an unknown account': [
      422,
      '/v1/banking/customer/ana/accounts/balances',
      { method: 'POST', headers: json, body: '{"data":{"accountIds":["nothing"]}}' },
    ],
    'an internal error': [500, '/auth/v1/customer/ana', {}],
  }

  for (const [name, [status, path, sent]] of Object.entries(cases)) {
    it(`is returned with ${name}, or created`, async () => {
      const { send } = status === 500 ? await failing() : await provider()
      const headers = { ...sent.headers, 'x-fapi-interaction-id': given }

      const echoed = await send(path, { ...sent, headers })
      const created = await send(path, sent)
      const again = await send(path, sent)

      assert.deepEqual([echoed.status, created.status], [status, status])
      assert.equal(echoed.headers['x-fapi-interaction-id'], given)
      assert.match(created.headers['x-fapi-interaction-id'] ?? '', uuid)
      assert.match(again.headers['x-fapi-interaction-id'] ?? '', uuid)
      assert.notEqual(
        created.headers['x-fapi-interaction-id'],
        again.headers['x-fapi-interaction-id'],
      )
    })
  }

  for (const other of [
    '',
    'abc',
    `${given}0`,
    `{${given}}`,
    given.replaceAll('-', ''),
    `${given}, ${given}`,
  ]) {
    it(`is replaced if the client’s is not a UUID: ${other}`, async () => {
      const { get } = await provider()

      const { headers } = await get('/auth/v1/customer/ana', { 'x-fapi-interaction-id': other })

      assert.match(headers['x-fapi-interaction-id'] ?? '', uuid)
      assert.notEqual(headers['x-fapi-interaction-id'], given)
    })
  }
})
