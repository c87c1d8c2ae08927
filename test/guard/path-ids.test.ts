import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import { openGuardServer } from '../support/guard-server.ts'
import { openNormalisingUpstream } from '../support/normalising-upstream.ts'
import { balancesPath } from '../support/small-bank.ts'
import { openUpstream } from '../support/upstream.ts'

const othersPath = '/v1/banking/customer/C1002/accounts/30000005/transactions'
const othersData = '{"data":{"transactions":[{"transactionId":"of-C1002"}]}}'

const transactions = (accountId: string) =>
  `/v1/banking/customer/C1001/accounts/${accountId}/transactions`

const customer = 'Customer not found'
const account = 'Account not found'
const route = 'Resource not found'

/** Targets of requests of C1001, as sent, that a server may read as those of another customer, and the error of the guard. */
const targets: Readonly<Record<string, readonly [target: string, status: number, error: string]>> =
  {
    'encoded slashes': [transactions('..%2F..%2FC1002%2Faccounts%2F30000005'), 404, account],
    'encoded dots and slashes': [
      transactions('%2e%2e%2f%2e%2e%2fC1002%2faccounts%2f30000005'),
      404,
      account,
    ],
    'slashes that are encoded twice': [
      transactions('..%252F..%252FC1002%252Faccounts%252F30000005'),
      404,
      account,
    ],
    'encoded backslashes': [transactions('..%5C..%5CC1002%5Caccounts%5C30000005'), 404, account],
    backslashes: [transactions('..\\..\\C1002\\accounts\\30000005'), 404, account],
    'dot segments': [transactions('../../C1002/accounts/30000005'), 404, route],
    'encoded dot segments': [transactions('%2e%2e/%2e%2e/C1002/accounts/30000005'), 404, route],
    'an encoded query': [
      '/v1/banking/customer/C1002%2Faccounts%2F30000005%2Ftransactions%3F/accounts',
      404,
      customer,
    ],
    'an encoded fragment': [
      '/v1/banking/customer/C1002%2Faccounts%2F30000005%2Ftransactions%23/accounts',
      404,
      customer,
    ],
    'a parameter of a segment': [othersPath.replace('C1002', 'C1002;x=1'), 404, customer],
    'an encoded parameter of a segment': [
      othersPath.replace('30000005', '30000005%3Bx'),
      404,
      account,
    ],
    'a NUL': [othersPath.replace('C1002', 'C1002%00'), 404, customer],
    'a line break': [othersPath.replace('30000005', 'x%0d%0ay'), 404, account],
    'a deletion character': [othersPath.replace('30000005', '3000000%7F5'), 404, account],
    'a dot': ['/v1/banking/customer/./accounts', 404, customer],
    'two dots': ['/v1/banking/customer/../accounts', 404, customer],
    'two encoded dots': [transactions('%2E%2E'), 404, account],
    'two dots and a space': [transactions('..%20'), 404, account],
    'two dots and a space without a break': [transactions('..%C2%A0'), 404, account],
    'two dots after an invisible character': [transactions('%E2%80%8B..'), 404, account],
    'dots around a soft hyphen': [transactions('.%C2%AD.'), 404, account],
    'one character that is two dots': [transactions('%E2%80%A5'), 404, account],
    'dots of a leader': [transactions('%E2%80%A4%E2%80%A4'), 404, account],
    'dots and slashes of full width': [
      transactions(encodeURIComponent('．．／．．／C1002／accounts／30000005')),
      404,
      account,
    ],
    'a percent sign of full width': [transactions(encodeURIComponent('％2e％2e')), 404, account],
    'slashes of divisions': [
      transactions(encodeURIComponent('..\u2215..\u2215C1002\u2215accounts\u221530000005')),
      404,
      account,
    ],
    'slashes of fractions': [
      transactions(encodeURIComponent('..\u2044..\u2044C1002')),
      404,
      account,
    ],
    'a set minus': [transactions(encodeURIComponent('..\u2216..\u2216C1002')), 404, account],
    'dots and slashes as %u': [transactions('%25u002e%25u002e%25u2215C1002'), 404, account],
    'an encoded dot before an accent': [transactions('%252e%CC%81'), 404, account],
    'two slashes': [othersPath.replace('/C1002', '//C1002'), 404, route],
    'a segment of one dot': [othersPath.replace('/C1002', '/./C1002'), 404, route],
    'a fragment': [`/auth/v1/customer/C1001#/../../${othersPath}`, 404, route],
    'a fragment within an id': [transactions('30000005#x'), 404, route],
    'an absolute URL': [`http://other.example${transactions('..%2F..%2FC1002')}`, 404, account],
    'an id that is too long': [transactions('x'.repeat(257)), 404, account],
    'half of a surrogate pair': [
      transactions('%ED%A0%80'),
      400,
      'the path must be a valid URL path',
    ],
    'an invalid encoding': [transactions('%'), 400, 'the path must be a valid URL path'],
  }

describeOnce('a path that a proxy behind the guard could read as another', () => {
  for (const [name, [target, status, error]] of Object.entries(targets)) {
    it(`is a ${status} and not forwarded: ${name}`, async (t) => {
      const upstream = await openNormalisingUpstream(t, othersPath, othersData)
      const guard = await openGuardServer(t, upstream.address)
      const path = target.replace('http://other.example', '')
      const headers = ['authorization', `Bearer ${guard.mint(path)}`]

      const answer = await guard.send(target, { headers })

      assert.deepEqual([answer.status, answer.body], [status, { error }])
      assert.deepEqual(upstream.requests, [])
    })
  }

  it('is forwarded if it has only the look of such a path', async (t) => {
    const upstream = await openUpstream(t)
    const guard = await openGuardServer(t, upstream.address)
    const ids = [
      '...',
      'a..b',
      '..a',
      'a.',
      'a b',
      '100%',
      '100% d',
      'ｆｕｌｌ',
      'é',
      'e\u0301',
      '日本語',
      '🦉',
      '\u200b',
    ]
    const paths = ids.map((id) => transactions(encodeURIComponent(id)))

    for (const path of paths) assert.equal((await guard.ask(path)).status, 200, path)

    assert.deepEqual(
      upstream.requests.map(({ url }) => url),
      paths,
    )
  })

  it('is rejected only after the token', async (t) => {
    const upstream = await openUpstream(t)
    const guard = await openGuardServer(t, upstream.address)
    const path = transactions('..%2F..')
    const headers = ['authorization', `Bearer ${guard.mint(path)}`]

    const answers = [
      await guard.send(path),
      await guard.send(path, { headers: ['authorization', `Bearer ${guard.mint(othersPath)}`] }),
      await guard.send(path, { headers }),
      await guard.send(path, { headers }),
    ]

    assert.deepEqual(
      answers.map((answer) => answer.status),
      [401, 401, 404, 401],
    )
  })

  it('is read as another by the upstream of these tests', async (t) => {
    const upstream = await openNormalisingUpstream(t, othersPath, othersData)

    for (const id of [
      '..%2F..%2FC1002%2Faccounts%2F30000005',
      '..%252F..%252FC1002%252Faccounts%252F30000005',
      '..%5C..%5CC1002%5Caccounts%5C30000005',
    ]) {
      const response = await fetch(upstream.address + transactions(id))
      assert.equal(await response.text(), othersData)
    }
  })
})

describeOnce('an account id in a body that no record can have', () => {
  for (const [name, id] of Object.entries({
    'half of a surrogate pair': '\\ud800',
    'a NUL': 'a1\\u0000',
    'no character': '',
  })) {
    it(`is a 422 and not forwarded: ${name}`, async (t) => {
      const upstream = await openUpstream(t)
      const guard = await openGuardServer(t, upstream.address)
      const body = `{"data":{"accountIds":["a1","${id}"]}}`

      const answer = await guard.ask(balancesPath, { method: 'POST', body })

      assert.deepEqual([answer.status, answer.body], [422, { error: 'Account in query not found' }])
      assert.deepEqual(upstream.requests, [])
    })
  }

  it('is forwarded if it could only not be part of a path', async (t) => {
    const upstream = await openUpstream(t)
    const guard = await openGuardServer(t, upstream.address)
    const body = '{"data":{"accountIds":["a/1","..","a;b?c#d%2F"]}}'

    await guard.ask(balancesPath, { method: 'POST', body })

    assert.equal(upstream.requests[0]?.body, body)
  })
})
