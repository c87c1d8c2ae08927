import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { issuer } from './addresses.ts'
import type { TestThirdParty } from './third-party.ts'

export const revocationUrl = `${issuer}/arrangements/revoke`

/** Sends a form to the arrangement revocation endpoint with a new client assertion, whose claims may be replaced. */
export async function revokeArrangement(
  port: number,
  { id, keys, jwk }: Pick<TestThirdParty, 'id' | 'keys' | 'jwk'>,
  form: Record<string, string>,
  claims: object = {},
) {
  const iat = Math.floor(Date.now() / 1000)
  const sent = { iss: id, sub: id, aud: issuer, iat, exp: iat + 60, jti: randomUUID(), ...claims }
  const { kid } = jwk as { readonly kid: string }
  const response = await fetch(`http://127.0.0.1:${port}/arrangements/revoke`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: id,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await new SignJWT(sent)
        .setProtectedHeader({ alg: 'ES256', kid })
        .sign(keys.privateKey),
      ...form,
    }),
  })
  const text = await response.text()
  return { status: response.status, body: text && JSON.parse(text) }
}
