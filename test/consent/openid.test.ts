import assert from 'node:assert/strict'
import { it } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import * as openid from 'openid-client'
import { makeSigningKey, type SigningAlgorithm } from '../../src/auth/signing.ts'
import { consentScopes } from '../../src/platform/consent/scopes.ts'
import { publicationSeconds } from '../../src/platform/consent/signing-keys.ts'
import { describeOnce, shareOnEachEngine } from '../support/engines.ts'
import {
  agree,
  type ConsentPlatform,
  issuer,
  openConsentPlatform,
  redirectUri,
} from './platform.ts'
import { cdsClaims, fetchFrom, registerThirdParty, type TestThirdParty } from './third-party.ts'

const openPlatform = shareOnEachEngine(openConsentPlatform)

async function addKey({ signingKeys }: ConsentPlatform, algorithm: SigningAlgorithm) {
  const key = await makeSigningKey(algorithm, Temporal.Now.instant())
  await signingKeys.add(key)
  return key
}

/** The header of the identity token of a new consent. */
async function readTokenHeader(platform: ConsentPlatform, thirdParty: TestThirdParty) {
  const started = await thirdParty.start()
  const browser = platform.browse()
  await browser.open(started.url)
  const tokens = await thirdParty.exchange(await agree(browser, platform), started)
  return decodeProtectedHeader(tokens.id_token ?? '')
}

async function listPublishedIds({ port }: ConsentPlatform): Promise<string[]> {
  const { keys } = (await (await fetch(`http://127.0.0.1:${port}/oidc/jwks`)).json()) as {
    readonly keys: readonly { readonly kid: string }[]
  }
  return keys.map(({ kid }) => kid)
}

describeOnce('the signing keys of the OpenID provider', () => {
  it('are published before they sign, without a restart', async () => {
    const platform = await openPlatform()
    const thirdParty = await registerThirdParty(platform)
    const [first = ''] = await listPublishedIds(platform)

    const key = await addKey(platform, 'ES256')

    assert.deepEqual(await listPublishedIds(platform), [first, key.id])
    assert.equal((await readTokenHeader(platform, thirdParty)).kid, first)
    platform.pass(publicationSeconds)
    assert.equal((await readTokenHeader(platform, thirdParty)).kid, key.id)
    platform.pass(-publicationSeconds)
  })

  it('sign with the algorithm that the platform had when a third party was registered', async () => {
    const platform = await openPlatform()
    const earlier = await registerThirdParty(platform)
    const key = await addKey(platform, 'PS256')
    platform.pass(publicationSeconds)
    const created = Temporal.Now.instant().add({ seconds: publicationSeconds })
    const later = await registerThirdParty(platform, 'plain', { created })

    assert.equal((await readTokenHeader(platform, earlier)).alg, 'ES256')
    assert.equal((await readTokenHeader(platform, later)).kid, key.id)
    platform.pass(-publicationSeconds)
  })

  it('stay in use if all are retired, and requests get a response', async () => {
    const platform = await openPlatform()
    const thirdParty = await registerThirdParty(platform)
    for (const { id } of await platform.signingKeys.list()) {
      await platform.signingKeys.retire(id, Temporal.Now.instant())
    }

    const header = await readTokenHeader(platform, thirdParty)

    assert.equal(header.alg, 'ES256')
    const reported = platform.log.filter((line) => line.includes('no signing key for consent'))
    assert.equal(reported.length, 1)
    const key = await addKey(platform, 'ES256')
    assert.equal((await readTokenHeader(platform, thirdParty)).kid, key.id)
  })
})

describeOnce('a pushed request', () => {
  for (const profile of ['plain', 'cds'] as const) {
    it(`is valid for 90 seconds with the profile ${profile}`, async (t) => {
      const platform = await openPlatform()
      const thirdParty = await registerThirdParty(platform, profile)
      const responses: Response[] = []
      thirdParty.config[openid.customFetch] = async (url, options) => {
        const response = await fetchFrom(platform.port)(url, options)
        responses.push(response.clone() as Response)
        return response
      }
      const before = Date.now()
      const [first, second] = [
        await thirdParty.start(cdsClaims(3600)),
        await thirdParty.start(cdsClaims(3600)),
      ]
      const after = Date.now()
      const statuses = []
      for (const [time, { url }] of [
        [before + 89_000, first],
        [after + 91_000, second],
      ] as const) {
        t.mock.timers.enable({ apis: ['Date'], now: time })
        const browser = platform.browse()
        await browser.open(url)
        t.mock.timers.reset()
        statuses.push(browser.page.status)
      }

      assert.deepEqual(statuses, [200, 400])
      for (const response of responses) {
        assert.partialDeepStrictEqual(await response.json(), { expires_in: 90 })
      }
    })
  }
})

describeOnce('a DPoP proof of a later time', () => {
  it('is accepted once, also when it is about to expire', async (t) => {
    const platform = await openPlatform()
    const { config } = await registerThirdParty(platform)
    const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256'), {
      [openid.modifyAssertion]: (_header, payload) => {
        payload['iat'] = Number(payload['iat']) + 290
      },
    })
    let proof: string | undefined
    config[openid.customFetch] = (url, options) => {
      proof ??= new Headers(options.headers).get('dpop') ?? ''
      return fetchFrom(platform.port)(url, {
        ...options,
        headers: { ...options.headers, dpop: proof },
      })
    }
    const push = async () =>
      openid.buildAuthorizationUrlWithPAR(
        config,
        {
          redirect_uri: redirectUri,
          scope: 'openid',
          response_type: 'code',
          code_challenge: await openid.calculatePKCECodeChallenge('x'.repeat(43)),
          code_challenge_method: 'S256',
        },
        { DPoP },
      )
    await push()

    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 570_000 })

    await assert.rejects(push(), { status: 400 })
  })
})

describeOnce('a client assertion', () => {
  it('must expire within an hour', async () => {
    const platform = await openPlatform()
    const { id, keys, jwk } = await registerThirdParty(platform)
    const { kid } = jwk as { readonly kid: string }
    const introspect = async (seconds: number) => {
      const auth = openid.PrivateKeyJwt(
        { key: keys.privateKey as CryptoKey, kid },
        {
          [openid.modifyAssertion]: (_header, payload) => {
            payload['exp'] = Math.floor(Date.now() / 1000) + seconds
          },
        },
      )
      const config = await openid.discovery(new URL(issuer), id, undefined, auth, {
        [openid.customFetch]: fetchFrom(platform.port),
      })
      return openid.tokenIntrospection(config, 'unknown')
    }

    assert.equal((await introspect(3500)).active, false)
    await assert.rejects(introspect(3700), { error: 'invalid_client', status: 401 })
  })
})

describeOnce('a request for a level of assurance', () => {
  for (const values of ['x', null, {}, 5]) {
    it(`is invalid if its values are ${JSON.stringify(values)}`, async () => {
      const thirdParty = await registerThirdParty(await openPlatform())
      const claims = JSON.stringify({ id_token: { acr: { essential: true, values } } })

      await assert.rejects(thirdParty.start({ claims }), { error: 'invalid_request', status: 400 })
    })
  }
})

describeOnce('the parameter claims', () => {
  for (const profile of ['plain', 'cds'] as const) {
    it(`may have neither userinfo nor id_token with the profile ${profile}`, async () => {
      const platform = await openPlatform()
      const thirdParty = await registerThirdParty(platform, profile)
      const started = await thirdParty.start({ claims: '{"sharing_duration":3600}' })
      const browser = platform.browse()
      await browser.open(started.url)

      const tokens = await thirdParty.exchange(await agree(browser, platform), started)

      assert.ok(tokens.refresh_token)
    })
  }

  for (const claims of ['{', '[]', 'null', '{"userinfo":[]}', '{"id_token":"acr"}']) {
    it(`is rejected if it is ${claims}`, async () => {
      const thirdParty = await registerThirdParty(await openPlatform())

      await assert.rejects(thirdParty.start({ claims }), { error: 'invalid_request', status: 400 })
    })
  }
})

describeOnce('the metadata of the OpenID provider', () => {
  it('has what the Consumer Data Standards require', async () => {
    const { port } = await openPlatform()

    const response = await fetch(`http://127.0.0.1:${port}/.well-known/openid-configuration`)

    const algorithms = ['PS256', 'ES256']
    const claims = ['sub', 'acr', 'auth_time', 'name', 'given_name', 'family_name', 'updated_at']
    const metadata = (await response.json()) as Record<string, readonly string[]>
    assert.partialDeepStrictEqual(metadata, {
      issuer,
      acr_values_supported: ['urn:cds.au:cdr:2'],
      authorization_endpoint: `${issuer}/oidc/authorize`,
      authorization_signing_alg_values_supported: ['ES256'],
      cdr_arrangement_revocation_endpoint: `${issuer}/arrangements/revoke`,
      claims_parameter_supported: true,
      code_challenge_methods_supported: ['S256'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      id_token_signing_alg_values_supported: ['ES256'],
      introspection_endpoint: `${issuer}/oidc/introspect`,
      introspection_endpoint_auth_methods_supported: ['private_key_jwt'],
      jwks_uri: `${issuer}/oidc/jwks`,
      pushed_authorization_request_endpoint: `${issuer}/oidc/par`,
      request_object_signing_alg_values_supported: algorithms,
      require_pushed_authorization_requests: true,
      response_modes_supported: ['query', 'jwt'],
      response_types_supported: ['code'],
      revocation_endpoint: `${issuer}/oidc/revoke`,
      revocation_endpoint_auth_methods_supported: ['private_key_jwt'],
      scopes_supported: [...consentScopes],
      subject_types_supported: ['pairwise'],
      token_endpoint: `${issuer}/oidc/token`,
      token_endpoint_auth_methods_supported: ['private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: algorithms,
      userinfo_endpoint: `${issuer}/oidc/userinfo`,
    })
    assert.deepEqual(metadata['claims_supported']?.slice(0, claims.length), claims)
  })
})
