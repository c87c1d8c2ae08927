import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Operation, providerOperations } from '../../src/contract/index.ts'
import { describeOnce } from '../support/engines.ts'
import { type Sent, send } from '../support/http.ts'
import { accountsPath, balancesPath } from '../support/small-bank.ts'
import { assertPasses, assertRejected, sharedTokenProvider } from '../support/token-provider.ts'
import { decodeClaims, publicUrl, resourceUrl } from '../support/tokens.ts'

const json = ['content-type', 'application/json']
/** Only POST. */
const paymentsPath = '/v1/banking/customer/c1/payments/scheduled'
const accountBody = '{"data":{"accountIds":["a1"]}}'

type ListSent = Sent & { readonly headers?: readonly string[] }

describeOnce('every operation of sections A and C', () => {
  const open = sharedTokenProvider()

  for (const [id, { method, path, base, ref }] of Object.entries<Operation>(providerOperations)) {
    const url = path.replace('{customerId}', 'c1').replace(/\{\w+\}/, 'a1')
    const sent: ListSent = method === 'GET' ? {} : { body: '{}', headers: json }

    it(`requires a token: ${ref} ${id}`, async () => {
      const provider = await open()
      const aud = (base === 'resource' ? resourceUrl : publicUrl) + url
      const withToken = (token: string) =>
        provider.send(url, {
          ...sent,
          method,
          headers: [...(sent.headers ?? []), 'authorization', `Bearer ${token}`],
        })

      assertRejected(await provider.send(url, { ...sent, method }), 'Bearer')
      assertRejected(await withToken(provider.mint(url, { aud: `${aud}/` })))
      assert.ok([200, 400, 404].includes((await withToken(provider.mint(url, { aud }))).status))
    })
  }
})

describeOnce('the Authorization header', () => {
  const open = sharedTokenProvider()

  it('is required, with a challenge that has no error code', async () => {
    const provider = await open()

    assertRejected(await provider.send(accountsPath), 'Bearer')
  })

  for (const scheme of ['bearer', 'BEARER', 'bEaReR', 'Bearer  ']) {
    it(`may write its scheme as "${scheme}"`, async () => {
      const provider = await open()
      const headers = ['authorization', `${scheme} ${provider.mint(accountsPath)}`]

      const answer = await provider.send(accountsPath, { headers })

      assert.equal(answer.status, 200, answer.text)
    })
  }

  const invalid = 'Bearer error="invalid_token"'
  const variants: Record<string, [challenge: string, toHeader: (token: string) => string]> = {
    'no scheme': ['Bearer', (token) => token],
    'another scheme': ['Bearer', (token) => `Basic ${token}`],
    'a user and a password': ['Bearer', () => 'Basic YW5hOnNlY3JldA=='],
    'no space': ['Bearer', (token) => `Bearer${token}`],
    'a colon': ['Bearer', (token) => `Bearer: ${token}`],
    'the scheme alone': ['Bearer', () => 'Bearer'],
    'the scheme and spaces': ['Bearer', () => 'Bearer   '],
    'DPoP instead': ['Bearer', (token) => `DPoP ${token}`],
    nothing: ['Bearer', () => ''],
    'the scheme twice': [invalid, (token) => `Bearer Bearer ${token}`],
    'a tab': [invalid, (token) => `Bearer\t${token}`],
    'a tab after a space': [invalid, (token) => `Bearer \t${token}`],
    'a trailing comma': [invalid, (token) => `Bearer ${token},`],
    'two tokens': [invalid, (token) => `Bearer ${token} ${token}`],
    'two tokens and a comma': [invalid, (token) => `Bearer ${token}, Bearer ${token}`],
    'a parameter': [invalid, (token) => `Bearer token="${token}"`],
  }
  for (const [name, [challenge, toHeader]] of Object.entries(variants)) {
    it(`is rejected with ${name}, with the challenge ${challenge}`, async () => {
      const provider = await open()
      const token = provider.mint(accountsPath)

      const answer = await provider.send(accountsPath, {
        headers: ['authorization', toHeader(token)],
      })

      assertRejected(answer, challenge)
      await assertPasses(provider, token)
    })
  }

  for (const [name, order] of Object.entries({
    'both valid': (valid: string, _invalid: string, other: string) => [valid, other],
    'the same twice': (valid: string) => [valid, valid],
    'the valid one first': (valid: string, invalid: string) => [valid, invalid],
    'the valid one last': (valid: string, invalid: string) => [invalid, valid],
    'one empty': (valid: string) => [valid, ''],
  })) {
    it(`is rejected if there are two: ${name}`, async () => {
      const provider = await open()
      const [valid, other] = [provider.mint(accountsPath), provider.mint(accountsPath)]
      const headers = order(`Bearer ${valid}`, 'Bearer x.y.z', `Bearer ${other}`).flatMap(
        (value, index) => [index === 0 ? 'Authorization' : 'authorization', value],
      )

      assertRejected(await provider.send(accountsPath, { headers }))
      await assertPasses(provider, valid)
      await assertPasses(provider, other)
    })
  }

  it('cannot be replaced by the query, which is ignored', async () => {
    const provider = await open()
    const token = provider.mint(accountsPath)

    for (const name of ['access_token', 'token', 'authorization', 'Authorization']) {
      assertRejected(await provider.send(`${accountsPath}?${name}=${token}`), 'Bearer')
    }
    await assertPasses(provider, token, `${accountsPath}?access_token=x.y.z`)
  })

  it('cannot be replaced by a body, a cookie or another header', async () => {
    const provider = await open()
    const token = provider.mint(balancesPath)
    const form = ['content-type', 'application/x-www-form-urlencoded']

    for (const sent of [
      { headers: form, body: `access_token=${token}` },
      { headers: [...json, 'cookie', `access_token=${token}`], body: accountBody },
      { headers: [...json, 'x-authorization', `Bearer ${token}`], body: accountBody },
      { headers: [...json, 'proxy-authorization', `Bearer ${token}`], body: accountBody },
    ]) {
      assertRejected(await provider.send(balancesPath, { method: 'POST', ...sent }), 'Bearer')
    }
  })
})

describeOnce('a request whose target is an absolute URL', () => {
  const open = sharedTokenProvider()

  for (const host of ['http://other.example', 'https://other.example:8443', 'HTTP://user@x']) {
    it(`is judged by its path alone: ${host}`, async () => {
      const provider = await open()
      const bearer = (token: string) => ({ headers: ['authorization', `Bearer ${token}`] })
      const token = provider.mint(accountsPath)

      const wrong = provider.mint(accountsPath, { aud: host + accountsPath })
      assertRejected(await provider.send(host + accountsPath, bearer(wrong)))
      const answer = await provider.send(`${host}${accountsPath}?page-size=1`, bearer(token))

      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.body.links.first, 'page=1&page-size=1')
      assertRejected(await provider.send(accountsPath, bearer(token)))
    })

    it(`gets the same errors and probes as any other: ${host}`, async () => {
      const { send } = await open()

      const statuses = ['/nowhere', '', '?page=1', '/health/live', paymentsPath].map(
        async (path) => (await send(host + path)).status,
      )

      assert.deepEqual(await Promise.all(statuses), [404, 404, 404, 200, 405])
      assert.equal((await send(host + paymentsPath)).headers['allow'], 'POST')
    })
  }

  it('is not found with another scheme, or without a host', async () => {
    const { send } = await open()

    for (const target of [`ftp://x${accountsPath}`, `http://${accountsPath}`, 'http:', '*']) {
      const { status } = await send(target)
      assert.ok(status === 404 || status === 400, `${target}: ${status}`)
    }
  })
})

describeOnce('the order of checks', () => {
  const open = sharedTokenProvider()

  for (const path of ['/', '/v1', '/v1/banking/customer/c1', `${accountsPath}/`, '/v2/x']) {
    it(`is route before token: ${path} is a 404 with any token`, async () => {
      const provider = await open()

      const without = await provider.send(path)
      const invalid = await provider.ask('x.y.z', path)
      const valid = await provider.ask(provider.mint(path), path)

      assert.deepEqual([without.status, invalid.status, valid.status], [404, 404, 404])
    })
  }

  for (const method of ['DELETE', 'PUT', 'PATCH', 'POST', 'HEAD', 'OPTIONS']) {
    it(`is method before token: ${method} is a 405 with any token`, async () => {
      const provider = await open()
      const headers = ['authorization', `Bearer ${provider.mint(accountsPath)}`]

      const without = await provider.send(accountsPath, { method })
      const valid = await provider.send(accountsPath, { method, headers })

      assert.deepEqual([without.status, valid.status], [405, 405])
      assert.equal(without.headers['allow'], 'GET')
    })
  }

  const invalidRequests: Record<string, { path: string; sent: ListSent; status: number }> = {
    'an invalid parameter': { path: `${accountsPath}?page=x`, sent: {}, status: 400 },
    'a repeated parameter': { path: `${accountsPath}?page=1&page=1`, sent: {}, status: 400 },
    'a malformed body': {
      path: balancesPath,
      sent: { method: 'POST', headers: json, body: '{' },
      status: 400,
    },
    'an empty body': { path: balancesPath, sent: { method: 'POST', headers: json }, status: 400 },
    'a body of another shape': {
      path: balancesPath,
      sent: { method: 'POST', headers: json, body: '{"data":1}' },
      status: 400,
    },
    'a wrong content type': {
      path: balancesPath,
      sent: { method: 'POST', headers: ['content-type', 'application/xml'], body: accountBody },
      status: 415,
    },
    'a body of plain text': {
      path: balancesPath,
      sent: { method: 'POST', headers: ['content-type', 'text/plain'], body: accountBody },
      status: 415,
    },
    'an unknown customer': { path: accountsPath.replace('c1', 'missing'), sent: {}, status: 404 },
    'an unknown account in the path': {
      path: `${accountsPath}/nothing/transactions`,
      sent: {},
      status: 404,
    },
    'an account of another customer in the path': {
      path: `${accountsPath}/a2/transactions`,
      sent: {},
      status: 404,
    },
    'an unknown account in the body': {
      path: balancesPath,
      sent: { method: 'POST', headers: json, body: '{"data":{"accountIds":["nothing"]}}' },
      status: 422,
    },
    'an account of another customer in the body': {
      path: balancesPath,
      sent: { method: 'POST', headers: json, body: '{"data":{"accountIds":["a2"]}}' },
      status: 422,
    },
    'an id that is too long': {
      path: `/fdx/v6/customer/${'c'.repeat(257)}/accounts/a1/contact`,
      sent: {},
      status: 400,
    },
  }
  for (const [name, { path, sent, status }] of Object.entries(invalidRequests)) {
    const [resource = ''] = path.split('?')
    const base = resource.startsWith('/fdx') ? resourceUrl : publicUrl

    it(`is token before ${name}, and the token is used`, async () => {
      const provider = await open()
      const token = provider.mint(resource, { aud: base + resource })
      const withToken = (text: string) =>
        provider.send(path, {
          ...sent,
          headers: [...(sent.headers ?? []), 'authorization', `Bearer ${text}`],
        })

      assertRejected(await provider.send(path, sent), 'Bearer')
      assertRejected(await withToken('x.y.z'))
      assertRejected(await withToken(provider.mint(resource, { aud: base })))
      assert.equal((await withToken(token)).status, status)
      assertRejected(await withToken(token))
      assert.ok((await provider.usedTokenIds()).includes(String(decodeClaims(token)['jti'])))
    })
  }

  it('is token before a body that is too large', async () => {
    const provider = await open()
    const large = { method: 'POST', headers: [...json, 'content-length', '999999999'] }

    assertRejected(await send(provider.port, balancesPath, large), 'Bearer')
  })

  it('uses no token at an unknown route or method', async () => {
    const provider = await open()
    const token = provider.mint(accountsPath)
    const headers = ['authorization', `Bearer ${token}`]

    assert.equal((await provider.send(`${accountsPath}/`, { headers })).status, 404)
    assert.equal((await provider.send(accountsPath, { method: 'PUT', headers })).status, 405)
    await assertPasses(provider, token)
  })

  it('applies to each request of a connection, even after a valid one', async () => {
    const provider = await open()

    await assertPasses(provider, provider.mint(accountsPath))
    assertRejected(await provider.send(accountsPath), 'Bearer')
  })
})
