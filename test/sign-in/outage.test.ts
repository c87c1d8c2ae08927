import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import { authorize, comeBack, openSignInPlatform, origin, signIn, start } from './platform.ts'

describeOnce('a platform whose identity provider is away', () => {
  it('starts, serves API clients, and says that it is away', async (t) => {
    const { provider } = await openSignInPlatform(t)
    await provider.stop()
    const platform = await openSignInPlatform(t, { provider })
    const browser = platform.browse()
    const { client } = platform
    const answer = await start(browser)

    assert.equal(answer.status, 502, answer.text)
    assert.deepEqual(answer.body, { error: 'The identity provider did not respond' })
    const { body: state } = await browser.request(`${origin}/v1/session`)
    assert.equal(state.identity_provider.is_reachable, false)
    const session = await browser.request(`${origin}/v1/session`, {
      method: 'POST',
      body: { client_id: client.id, client_secret: client.secret },
    })
    assert.equal(session.status, 201, session.text)
    assert.match(platform.log.join(), /no metadata: ECONNREFUSED/)
  })

  it('does not ask again at once, and signs people in when it is back', async (t) => {
    const { provider } = await openSignInPlatform(t)
    await provider.stop()
    const platform = await openSignInPlatform(t, { provider })
    const browser = platform.browse()
    assert.equal((await start(browser)).status, 502)
    await provider.restart()
    const { length } = provider.requests
    for (let count = 0; count < 5; count += 1) assert.equal((await start(browser)).status, 502)
    assert.equal(provider.requests.length, length)

    platform.pass(2)
    assert.equal(await signIn(browser), '/console')
  })

  it('does not wait for one that does not respond', async (t) => {
    const platform = await openSignInPlatform(t)
    platform.provider.isSilent = true
    const answer = await start(platform.browse())

    assert.equal(answer.status, 502, answer.text)
    assert.match(platform.log.join(), /no metadata: timed out/)
  })

  it('says so to a person who comes back', async (t) => {
    const platform = await openSignInPlatform(t)
    const browser = platform.browse()
    const url = await authorize(browser)
    await platform.provider.stop()

    assert.equal(await comeBack(browser, url), '/console?sign-in=unreachable')
  })
})

describeOnce('the metadata of an identity provider', () => {
  for (const [name, change] of Object.entries({
    'another issuer': { issuer: 'https://attacker.example' },
    'no issuer': { issuer: undefined },
    'an authorization endpoint that is no web address': {
      authorization_endpoint: 'javascript:alert(1)',
    },
    'no authorization endpoint': { authorization_endpoint: undefined },
    'more than 256 KiB': { padding: 'x'.repeat(300_000) },
  })) {
    it(`is not accepted with ${name}`, async (t) => {
      const platform = await openSignInPlatform(t)
      platform.provider.changeMetadata = (metadata) => ({ ...metadata, ...change })
      const answer = await start(platform.browse())

      assert.equal(answer.status, 502, answer.text)
    })
  }
})
