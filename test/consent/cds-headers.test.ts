import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { assertError, openCdsPlatform, type Sharing, share } from './cds.ts'

const sharingOnEachEngine = shareOnEachEngine(async (scope) => {
  const platform = await openCdsPlatform(scope)
  return { platform, sharing: await share(platform) }
})

/** A request to each kind of endpoint. */
function callEach({ call }: Sharing, headers: Readonly<Record<string, string>>) {
  const body = { data: { accountIds: [] } }
  return Promise.all([
    call('/banking/accounts', { headers: { 'x-v': '3', ...headers } }),
    call('/banking/accounts/balances', { method: 'POST', body, headers }),
    call('/common/customer', { headers }),
  ])
}

describe('the header Accept of a third party', () => {
  for (const accept of [
    'text/html',
    'application/json;q=0',
    'application/json;charset=utf-16',
    'application/json;charset="ISO-8859-1"',
    'application/json;q=0, */*',
    'application/xml, text/*;q=0.5',
    'json',
  ]) {
    it(`is a 406 if it is ${accept}`, async () => {
      const { sharing } = await sharingOnEachEngine()

      for (const answer of await callEach(sharing, { accept })) {
        assertError(answer, 406, 'cds-all:GeneralError/Expected')
      }
    })
  }

  for (const accept of [
    '*/*',
    'AppliCAtion/JSon;Charset=uTf-8',
    'application/json; q=0.1; charset="utf-8"',
    'text/html, application/*;q=0.2',
    'application/json;charset=utf-16, application/json;charset=UTF-8',
    'text/html;q=0, */*;q=0.1',
  ]) {
    it(`may be ${accept}`, async () => {
      const { sharing } = await sharingOnEachEngine()

      for (const { status } of await callEach(sharing, { accept })) assert.equal(status, 200)
    })
  }

  it('counts after the token', async () => {
    const { platform } = await sharingOnEachEngine()

    const headers = { accept: 'text/html', 'x-fapi-interaction-id': 'none' }
    const { status } = await send(platform.port, '/cds-au/v1/banking/accounts', { headers })

    assert.equal(status, 401)
  })
})

describe('a header of FAPI', () => {
  for (const [name, values] of Object.entries({
    'x-fapi-interaction-id': ['none', '6ba7b8149dad11d180b400c04fd430c8', ''],
    'x-fapi-auth-date': [
      'yesterday',
      '2020-01-16T16:50:15Z',
      'Thu, 16 Jan 2020 16:50:15',
      'Sun, 30 Feb 2020 16:50:15 GMT',
      'Thu, 16 Foo 2020 16:50:15 GMT',
    ],
    'x-fapi-customer-ip-address': ['localhost', '10.0.0.256', '10.0.0.1, 10.0.0.2', '::g'],
  })) {
    for (const value of values) {
      it(`is rejected by name: ${name}: ${value}`, async () => {
        const { sharing } = await sharingOnEachEngine()

        for (const answer of await callEach(sharing, { [name]: value })) {
          assertError(answer, 400, 'cds-all:Header/Invalid')
          const { detail, title } = answer.body.errors[0]
          assert.ok(detail.startsWith(`${name} must be `), detail)
          assert.equal(title, 'Invalid Header')
          assert.notEqual(answer.headers.get('x-fapi-interaction-id'), value)
        }
      })
    }
  }

  it('may have every form of the standards', async () => {
    const { sharing } = await sharingOnEachEngine()
    const id = '6BA7B814-9dad-11d1-80b4-00c04fd430c8'

    for (const [date, address] of [
      ['Thu, 16 Jan 2020 16:50:15 GMT', '2001:0db8:85a3:0000:0000:8a2e:0370:7334'],
      ['Thursday, 16-Jan-20 16:50:15 GMT', '10.0.0.1'],
      ['Thu Jan  6 16:50:15 2022', '::ffff:10.0.0.1'],
    ] as const) {
      for (const { status, headers } of await callEach(sharing, {
        'x-fapi-interaction-id': id,
        'x-fapi-auth-date': date,
        'x-fapi-customer-ip-address': address,
      })) {
        assert.deepEqual([status, headers.get('x-fapi-interaction-id')], [200, id])
      }
    }
  })
})
