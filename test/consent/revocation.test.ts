import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { it } from 'node:test'
import * as openid from 'openid-client'
import { describeOnce, shareOnEachEngine } from '../support/engines.ts'
import { openKeyServer } from '../support/key-server.ts'
import { agree, type ConsentPlatform, issuer, openConsentPlatform } from './platform.ts'
import { revocationUrl, revokeArrangement } from './revoke-arrangement.ts'
import { makeArrangement } from './stores.ts'
import { cdsClaims, registerThirdParty, type TestThirdParty } from './third-party.ts'

const openPlatform = shareOnEachEngine(openConsentPlatform)

describeOnce('the revocation of tokens', () => {
  const isActive = async ({ config }: TestThirdParty, token: string) =>
    (await openid.tokenIntrospection(config, token)).active

  it('of the profile cds ends them without the arrangement, and an access token alone', async () => {
    const platform = await openPlatform()
    const thirdParty = await registerThirdParty(platform, 'cds')
    const started = await thirdParty.start(cdsClaims(86_400))
    const browser = platform.browse()
    await browser.open(started.url)
    const tokens = await thirdParty.exchange(await agree(browser, platform), started)
    const { refresh_token: refreshToken = '' } = tokens

    await openid.tokenRevocation(thirdParty.config, tokens.access_token)
    assert.equal(await isActive(thirdParty, tokens.access_token), false)
    const { access_token: next } = await openid.refreshTokenGrant(
      thirdParty.config,
      refreshToken,
      undefined,
      { DPoP: thirdParty.dpop },
    )
    await openid.tokenRevocation(thirdParty.config, refreshToken)

    assert.equal(await isActive(thirdParty, refreshToken), false)
    assert.equal(await isActive(thirdParty, next), false)
    const id = String(tokens['cdr_arrangement_id'])
    const arrangement = await platform.store.arrangements.find(id, Temporal.Now.instant())
    assert.equal(arrangement?.status, 'active')
  })
})

/** Sends a form to a platform. */
const revoke = (
  { port }: ConsentPlatform,
  thirdParty: TestThirdParty,
  form: Record<string, string>,
  claims?: object,
) => revokeArrangement(port, thirdParty, form, claims)

describeOnce('the arrangement revocation endpoint', () => {
  const addArrangement = async ({ store }: ConsentPlatform, thirdPartyId: string) => {
    const id = randomUUID()
    const from = Temporal.Now.instant()
    const until = from.add({ hours: 1 })
    await store.arrangements.add(makeArrangement(id, { thirdPartyId, from, until }))
    return id
  }
  const findStatus = async ({ store }: ConsentPlatform, id: string) =>
    (await store.arrangements.find(id, Temporal.Now.instant()))?.status

  it('withdraws an arrangement of the third party, once', async () => {
    const platform = await openPlatform()
    const [plain, cds] = [
      await registerThirdParty(platform),
      await registerThirdParty(platform, 'cds'),
    ]
    for (const [thirdParty, aud] of [
      [plain, issuer],
      [cds, revocationUrl],
    ] as const) {
      const id = await addArrangement(platform, thirdParty.id)

      const first = await revoke(platform, thirdParty, { cdr_arrangement_id: id }, { aud })

      assert.equal(first.status, 204)
      const changes = await platform.store.arrangements.listChanges(id)
      assert.partialDeepStrictEqual(changes.at(-1), { status: 'withdrawn', reason: 'third_party' })
      const again = await revoke(platform, thirdParty, { cdr_arrangement_id: id }, { aud })
      assert.equal(again.status, 422)
    }
  })

  it('rejects an arrangement of another third party, an unknown one, and none', async () => {
    const platform = await openPlatform()
    const [owner, other] = [await registerThirdParty(platform), await registerThirdParty(platform)]
    const id = await addArrangement(platform, owner.id)

    for (const unknown of [id, 'unknown', '']) {
      const { status, body } = await revoke(platform, other, { cdr_arrangement_id: unknown })
      assert.equal(status, 422)
      const code = 'urn:au-cds:error:cds-all:Authorisation/InvalidArrangement'
      assert.deepEqual([body.errors[0].code, body.errors[0].detail], [code, unknown])
    }
    assert.equal((await revoke(platform, owner, {})).status, 400)
    assert.equal(await findStatus(platform, id), 'active')
  })

  it('rejects every invalid authentication', async () => {
    const platform = await openPlatform()
    const thirdParty = await registerThirdParty(platform)
    const stranger = await registerThirdParty(platform)
    const id = await addArrangement(platform, thirdParty.id)
    const form = { cdr_arrangement_id: id }
    const now = Math.floor(Date.now() / 1000)
    const jti = randomUUID()
    await revoke(platform, thirdParty, { cdr_arrangement_id: 'unknown' }, { jti })
    const cases: Record<string, Promise<{ readonly status: number; readonly body: object }>> = {
      'a used assertion': revoke(platform, thirdParty, form, { jti }),
      'no id': revoke(platform, thirdParty, form, { jti: undefined }),
      'an empty id': revoke(platform, thirdParty, form, { jti: '' }),
      'an id that is null': revoke(platform, thirdParty, form, { jti: null }),
      'an id that is a number': revoke(platform, thirdParty, form, { jti: 5 }),
      'another audience': revoke(platform, thirdParty, form, { aud: 'https://other.example' }),
      'an audience that FAPI 2.0 excludes': revoke(platform, thirdParty, form, {
        aud: revocationUrl,
      }),
      'another issuer': revoke(platform, thirdParty, form, { iss: stranger.id }),
      'an expired assertion': revoke(platform, thirdParty, form, { exp: now - 60 }),
      'a long lifetime': revoke(platform, thirdParty, form, { exp: now + 7200 }),
      'keys of another third party': revoke(
        platform,
        { ...stranger, id: thirdParty.id, jwk: thirdParty.jwk },
        form,
      ),
      'another client id': revoke(platform, thirdParty, { ...form, client_id: stranger.id }),
      'an unknown third party': revoke(platform, { ...thirdParty, id: 'unknown' }, form),
      'another type': revoke(platform, thirdParty, { ...form, client_assertion_type: 'x' }),
      'no JWT': revoke(platform, thirdParty, { ...form, client_assertion: 'x.y.z' }),
    }
    for (const [name, sent] of Object.entries(cases)) {
      const { status, body } = await sent
      assert.equal(status, 401, name)
      assert.partialDeepStrictEqual(body, { error: 'invalid_client' }, name)
    }
    assert.equal(await findStatus(platform, id), 'active')
  })

  it('reads the keys of a third party from its URL', async (t) => {
    const platform = await openPlatform()
    const keyServer = await openKeyServer([])
    t.after(() => keyServer.close())
    const keys = { jwksUrl: keyServer.url }
    const thirdParty = await registerThirdParty(platform, 'plain', { keys })
    keyServer.publish(thirdParty.jwk)
    const id = await addArrangement(platform, thirdParty.id)

    assert.equal((await revoke(platform, thirdParty, { cdr_arrangement_id: id })).status, 204)
  })
})
