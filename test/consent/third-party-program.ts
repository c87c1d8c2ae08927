import { importJWK, type JWK } from 'jose'
import * as openid from 'openid-client'
import { redirectUri } from './addresses.ts'
import { fetchWithCertificate } from './fetch-with-certificate.ts'

/**
 * A third party as a program of its own, with mutual TLS: prints the URL for the customer, reads the URL to which the
 * customer returns, and prints what it then reads.
 */
const { issuer, id, privateJwk, tls } = JSON.parse(process.argv[2] ?? '') as {
  readonly issuer: string
  readonly id: string
  readonly privateJwk: JWK
  /** Its certificate, and the authority of the platform. */
  readonly tls: object
}
const key = (await importJWK(privateJwk, 'ES256')) as CryptoKey
const auth = openid.PrivateKeyJwt({ key, kid: 'k1' })
const config = await openid.discovery(new URL(issuer), id, undefined, auth, {
  [openid.customFetch]: fetchWithCertificate(tls),
})
const verifier = openid.randomPKCECodeVerifier()
const url = await openid.buildAuthorizationUrlWithPAR(config, {
  response_type: 'code',
  redirect_uri: redirectUri,
  scope: 'openid email bank:accounts.basic:read',
  code_challenge: await openid.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
  sharing_duration: '86400',
})
process.stdout.write(`${url}\n`)

const chunks: Buffer[] = []
for await (const chunk of process.stdin) chunks.push(chunk)
const callback = new URL(Buffer.concat(chunks).toString())
const checks = { pkceCodeVerifier: verifier, idTokenExpected: true }
const tokens = await openid.authorizationCodeGrant(config, callback, checks)
const { access_token: token, token_type: type } = tokens
const { email } = await openid.fetchUserInfo(config, token, tokens.claims()?.sub ?? '')
const accounts = await openid.fetchProtectedResource(
  config,
  token,
  new URL(`${issuer}/cds-au/v1/banking/accounts`),
  'GET',
  undefined,
  new Headers({ 'x-v': '3' }),
)
process.stdout.write(JSON.stringify({ type, email, accounts: await accounts.json() }))
