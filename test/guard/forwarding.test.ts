import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import { openGuardServer } from '../support/guard-server.ts'
import { accountsPath, balancesPath } from '../support/small-bank.ts'
import { openUpstream } from '../support/upstream.ts'

describeOnce('a forwarded request', () => {
  for (const [name, target] of Object.entries({
    'percent-encodings': '/v1/banking/customer/c%2f1%41%C3%A9/accounts',
    'dots and slashes in an id': '/v1/banking/customer/..%2F..%2Fc1/accounts',
    'a dot segment': '/v1/banking/customer/../accounts',
    'a plus sign and spaces': `${accountsPath}?page=%31&page-size=2%35`,
    'an empty query': `${accountsPath}?`,
    'empty parameters': `${accountsPath}?&&page=1&`,
    'the order of parameters': `${accountsPath}?page-size=1&open-status=ALL&page=1`,
  })) {
    it(`has the same path and query, with ${name}`, async (t) => {
      const upstream = await openUpstream(t)
      const guard = await openGuardServer(t, upstream.address)

      const { status, text } = await guard.ask(target)

      assert.equal(status, 200, text)
      assert.deepEqual(
        upstream.requests.map(({ url }) => url),
        [target],
      )
    })
  }

  it('has the same method and body, byte for byte', async (t) => {
    const upstream = await openUpstream(t)
    const guard = await openGuardServer(t, upstream.address)
    const body = ' {"data":\n{"accountIds" : ["a\\u0031", "\\u00e9é"]}}\t'

    await guard.ask(balancesPath, { method: 'POST', body })

    const [request] = upstream.requests
    assert.equal(request?.method, 'POST')
    assert.equal(request?.body, body)
    assert.equal(request?.headers['content-length'], String(Buffer.byteLength(body)))
  })
})
