import { randomUUID } from 'node:crypto'
import { importJWK, SignJWT } from 'jose'
import { type SigningKey, toPrivateJwk } from '../../../auth/signing-key-store.ts'
import { revocationPath } from '../paths.ts'
import { selectAlgorithm, selectKeys } from '../signing-keys.ts'
import type { ThirdParty } from '../store.ts'
import type { FormRequest } from './post-form.ts'

/** Longer than the time limit of a request, and for clocks that differ. */
const tokenSeconds = 120

export interface RevocationOptions {
  readonly keys: readonly SigningKey[]
  /** The subject and issuer of the tokens. */
  readonly brandId: string
  readonly now: Temporal.Instant
}

/**
 * The request that informs a third party of the end of an arrangement, as the Consumer Data Standards define it. Its tokens
 * have new ids each time: the third party may accept each of them once.
 */
export async function createRevocationRequest(
  thirdParty: ThirdParty & { readonly recipientBaseUri: string },
  arrangementId: string,
  { keys, brandId, now }: RevocationOptions,
): Promise<FormRequest> {
  const key = selectKey(keys, thirdParty, now)
  const url = thirdParty.recipientBaseUri.replace(/\/$/, '') + revocationPath
  const privateKey = await importJWK(toPrivateJwk(key), key.algorithm)
  const seconds = Math.floor(now.epochMilliseconds / 1000)
  const sign = (claims: Readonly<Record<string, string>>) =>
    new SignJWT({ ...claims })
      .setProtectedHeader({ alg: key.algorithm, kid: key.id, typ: 'JWT' })
      .setIssuer(brandId)
      .setSubject(brandId)
      .setAudience(url)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + tokenSeconds)
      .setJti(randomUUID())
      .sign(privateKey)
  return {
    url,
    authorization: `Bearer ${await sign({})}`,
    form: {
      cdr_arrangement_jwt: await sign({ cdr_arrangement_id: arrangementId }),
      cdr_arrangement_id: arrangementId,
    },
  }
}

/** The Consumer Data Standards require PS256. Without such a key, and in the other profile, it is as for ID tokens. */
function selectKey(
  keys: readonly SigningKey[],
  thirdParty: ThirdParty,
  now: Temporal.Instant,
): SigningKey {
  const selected = selectKeys(keys, now)
  const find = (name: string) => selected.find(({ algorithm }) => algorithm === name)
  const standard = thirdParty.profile === 'cds' ? find('PS256') : undefined
  const key = standard ?? find(selectAlgorithm(keys, selected, thirdParty))
  if (!key) throw new Error('no signing key')
  return key
}
