import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runHoldfast, runInProcess } from '../support/process.ts'

const provider = ['--provider-url', 'https://bank.example', '--subdomain', 'bank']

const settings = (...flags: string[]) =>
  runInProcess(['settings', 'provider', ...provider, ...flags])

describe('the JWKS URL', () => {
  for (const address of [
    'https://platform.example/keys',
    'http://localhost:9090/keys',
    'http://127.0.0.1:9090/keys',
    'http://127.255.0.9/keys',
    'http://[::1]:9090/keys',
  ]) {
    it(`may be ${address}`, async () => {
      const { status, stdout } = await settings('--jwks-url', address)

      assert.equal(status, 0)
      assert.ok(stdout.includes(address))
    })
  }

  for (const address of [
    'http://platform.example/keys',
    'HTTP://platform.example/keys',
    'http://10.0.0.1/keys',
    'http://0.0.0.0/keys',
    'http://128.0.0.1/keys',
    'http://[::]/keys',
    'http://[2001:db8::1]/keys',
    'http://localhost.example/keys',
    'http://127.0.0.1.example/keys',
    'http://localhost@platform.example/keys',
    'ftp://127.0.0.1/keys',
  ]) {
    it(`may not be ${address}`, async () => {
      const { status, stderr } = await settings('--jwks-url', address)

      assert.equal(status, 2)
      assert.match(stderr, /--jwks-url must be an https URL.*HOLDFAST_JWKS_ALLOW_HTTP=true/)
    })
  }

  it('may be http to another machine if a setting allows it', async () => {
    const address = 'http://platform.example/keys'

    const allowed = await settings('--jwks-url', address, '--jwks-allow-http', 'true')
    const forbidden = await settings('--jwks-url', address, '--jwks-allow-http', 'false')
    const invalid = await settings('--jwks-url', address, '--jwks-allow-http', 'yes')

    assert.deepEqual([allowed.status, forbidden.status, invalid.status], [0, 2, 2])
    assert.match(invalid.stderr, /--jwks-allow-http must be true or false/)
  })

  it('is rejected before a provider starts', async () => {
    const { status, stderr } = await runHoldfast(['serve', 'provider', ...provider], {
      environment: { HOLDFAST_JWKS_URL: 'http://platform.example/keys' },
    })

    assert.equal(status, 2)
    assert.match(stderr, /HOLDFAST_JWKS_URL must be an https URL/)
  })
})
