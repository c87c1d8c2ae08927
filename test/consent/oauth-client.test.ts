import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as oauth from 'oauth4webapi'
import { describe, shareOnEachEngine } from '../support/engines.ts'
import { agree, issuer, nextCustomer, openConsentPlatform, redirectUri } from './platform.ts'
import { addThirdPartyWithKey, cdsClaims, fetchFrom, requestedScopes } from './third-party.ts'

const platformOnEachEngine = shareOnEachEngine(openConsentPlatform)
const monthSeconds = 30 * 86_400

interface FetchOptions {
  readonly [oauth.customFetch]: never
}

describe('a consent flow with oauth4webapi', () => {
  for (const profile of ['plain', 'cds'] as const) {
    it(`completes with the profile ${profile}`, async () => {
      const platform = await platformOnEachEngine()
      const { id, key } = await addThirdPartyWithKey(platform, 'PS256', profile)
      const client = { client_id: id }
      const clientAuth = oauth.PrivateKeyJwt(key)
      const customFetch: FetchOptions = { [oauth.customFetch]: fetchFrom(platform.port) as never }
      const server = await oauth.processDiscoveryResponse(
        new URL(issuer),
        await oauth.discoveryRequest(new URL(issuer), customFetch),
      )
      const DPoP = oauth.DPoP(
        { ...client, [oauth.clockSkew]: 0 },
        await oauth.generateKeyPair('ES256'),
      )
      const verifier = oauth.generateRandomCodeVerifier()
      const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
      const parameters = new URLSearchParams({
        response_type: 'code',
        redirect_uri: redirectUri,
        scope: requestedScopes.join(' '),
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        ...(profile === 'cds'
          ? { ...cdsClaims(monthSeconds), response_mode: 'jwt' }
          : { sharing_duration: String(monthSeconds) }),
      })
      const pushed =
        profile === 'plain'
          ? parameters
          : new URLSearchParams({
              request: await oauth.issueRequestObject(server, client, parameters, key, {
                [oauth.modifyAssertion]: (_header, payload) => {
                  payload['nbf'] = payload['iat']
                },
              }),
            })
      const par = await oauth.processPushedAuthorizationResponse(
        server,
        client,
        await oauth.pushedAuthorizationRequest(server, client, clientAuth, pushed, {
          DPoP,
          ...customFetch,
        }),
      )
      const url = new URL(server.authorization_endpoint ?? '')
      url.search = String(
        new URLSearchParams({ client_id: client.client_id, request_uri: par.request_uri }),
      )
      const browser = platform.browse()
      await browser.open(url)
      const customer = nextCustomer()
      const callback = await agree(browser, platform, customer)

      const validated =
        profile === 'cds'
          ? await oauth.validateJwtAuthResponse(server, client, callback, state, customFetch)
          : oauth.validateAuthResponse(server, client, callback, state)
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        clientAuth,
        validated,
        redirectUri,
        verifier,
        { DPoP, ...customFetch },
      )
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
        expectedNonce: nonce,
        requireIdToken: true,
      })
      const userinfo = await oauth.processUserInfoResponse(
        server,
        client,
        oauth.getValidatedIdTokenClaims(tokens)?.sub ?? '',
        await oauth.userInfoRequest(server, client, tokens.access_token, { DPoP, ...customFetch }),
      )

      assert.deepEqual([userinfo.email, userinfo.name], [customer.email, `Customer ${customer.id}`])
      assert.ok(tokens.refresh_token)
      assert.equal(typeof tokens['cdr_arrangement_id'], 'string')
      assert.equal(server['request_parameter_supported'], true)
      assert.deepEqual(server.token_endpoint_auth_methods_supported, ['private_key_jwt'])
      assert.equal(server.require_pushed_authorization_requests, true)
      assert.deepEqual(server.code_challenge_methods_supported, ['S256'])
    })
  }
})
