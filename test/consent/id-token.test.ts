import assert from 'node:assert/strict'
import { it } from 'node:test'
import { identityClaims } from '../../src/platform/consent/scopes.ts'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { agree, openConsentPlatform } from './platform.ts'
import { readUserInfo, registerThirdParty, requestedScopes } from './third-party.ts'

const platformOnEachEngine = shareOnEachEngine(openConsentPlatform)

describe('an ID token', () => {
  for (const profile of ['plain', 'cds'] as const) {
    it(`has no personal information with the profile ${profile}`, async () => {
      const platform = await platformOnEachEngine()
      const identity = ['profile', 'email', 'phone', 'address']
      const scopes = [...new Set([...requestedScopes, ...identity])]
      const thirdParty = await registerThirdParty(platform, profile, { scopes })
      const names = identity.flatMap((scope) => Object.keys(identityClaims[scope] ?? {}))
      const requested = Object.fromEntries(names.map((name) => [name, { essential: true }]))
      const claims = JSON.stringify({ id_token: requested, userinfo: requested })
      const started = await thirdParty.start({ claims, scope: scopes.join(' ') })
      const browser = platform.browse()
      await browser.open(started.url)

      const tokens = await thirdParty.exchange(await agree(browser, platform), started)

      const own = ['acr', 'auth_time', 'sub']
      const ofProtocol = ['aud', 'exp', 'iat', 'iss', 'nonce']
      assert.deepEqual(Object.keys(tokens.claims() ?? {}).sort(), [...own, ...ofProtocol].sort())
      const { name, email, phone_number: phone } = await readUserInfo(thirdParty, tokens)
      assert.ok(name && email && phone)
    })
  }
})

describe('a pushed request', () => {
  it('of the profile cds needs a nonce with openid, and a state without it', async () => {
    const platform = await platformOnEachEngine()
    const thirdParty = await registerThirdParty(platform, 'cds')
    const openid = { scope: 'openid bank:accounts.basic:read' }
    const data = { scope: 'bank:accounts.basic:read' }
    const start = async (parameters: Record<string, string>) => {
      const error = await thirdParty.start(parameters).then(
        () => undefined,
        (rejection: { status: number; error_description: string }) => rejection,
      )
      return error && `${error.status} ${error.error_description}`
    }

    assert.deepEqual(
      [
        await start({ ...openid, nonce: '' }),
        await start({ ...openid, state: '' }),
        await start({ ...data, nonce: '' }),
        await start({ ...data, state: '' }),
        await start({ scope: 'foo bar', nonce: '' }),
        await start({ scope: 'openid' }),
      ],
      [
        "400 missing required parameter 'nonce'",
        undefined,
        undefined,
        "400 missing required parameter 'state'",
        '400 a known scope is required',
        undefined,
      ],
    )
  })

  it('of the profile plain needs no nonce, as OpenID Connect and FAPI 2.0 do not', async () => {
    const platform = await platformOnEachEngine()
    const thirdParty = await registerThirdParty(platform)

    assert.ok((await thirdParty.start({ nonce: '', state: '' })).url)
    assert.ok((await thirdParty.start({ scope: 'bank:accounts.basic:read', nonce: '' })).url)
    const unknown = thirdParty.start({ scope: 'foo bar', nonce: '' })
    await assert.rejects(unknown, { error: 'invalid_scope' })
  })
})
