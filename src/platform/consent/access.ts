import { createHash, type X509Certificate } from 'node:crypto'
import { calculateJwkThumbprint, EmbeddedJWK, errors, type JWTPayload, jwtVerify } from 'jose'
import { digest } from '../../auth/secrets.ts'
import { fapiAlgorithms } from './client-metadata.ts'
import type { ConsentStore, StoredArrangement } from './store.ts'

/** A request of a third party for a customer's data. */
export interface ThirdPartyRequest {
  readonly method: string
  /** The public URL of the request, without its query. */
  readonly url: string
  readonly authorization: string | undefined
  /** The header `DPoP`. */
  readonly proof: string | undefined
  /** The certificate of the TLS client. */
  readonly certificate: X509Certificate | undefined
}

/** Why a request was rejected. For the log: the third party learns only the error. */
export type AccessRejection =
  | 'no token'
  | 'unknown token'
  | 'wrong scheme'
  | 'no proof'
  | 'invalid proof'
  | 'replayed proof'
  | 'wrong key'
  | 'wrong certificate'
  | 'missing scope'

/** The error codes of RFC 6750 and RFC 9449. */
type AccessError = 'invalid_token' | 'invalid_dpop_proof' | 'insufficient_scope'

export type AccessResult =
  | {
      readonly isAllowed: true
      readonly thirdPartyId: string
      readonly arrangement: StoredArrangement
      readonly scopes: readonly string[]
    }
  | {
      readonly isAllowed: false
      readonly status: 401 | 403
      /** For the header `WWW-Authenticate`; none if there was no token. */
      readonly error?: AccessError
      readonly scheme: 'Bearer' | 'DPoP'
      readonly reason: AccessRejection
    }

/** Verifies the access token of a request, its binding, its scope and its arrangement. */
export type VerifyAccess = (request: ThirdPartyRequest, scope: string) => Promise<AccessResult>

/** How far `iat` of a proof may differ from the clock, in seconds. */
const proofSeconds = 60
/**
 * How long the use of a proof is stored: longer than a proof with a time in the future can be accepted, also by a process
 * whose clock is behind.
 */
const replaySeconds = 3 * proofSeconds
const proofLengthMax = 8192
const proofIdLengthMax = 256

/** What is stored of an access token. */
interface AccessToken {
  readonly clientId: string
  readonly grantId: string
  readonly scope?: string
  readonly jkt?: string
  readonly 'x5t#S256'?: string
}

/** Every check reads the database: a withdrawal in any process takes effect with the next request. */
export function openAccessCheck(
  { artifacts, arrangements }: ConsentStore,
  clock: () => Temporal.Instant,
): VerifyAccess {
  const findProblem = async (
    request: ThirdPartyRequest,
    scheme: 'Bearer' | 'DPoP',
    token: string,
    stored: AccessToken,
  ): Promise<AccessRejection | undefined> => {
    const { jkt, 'x5t#S256': thumbprint, clientId } = stored
    if (thumbprint !== undefined) {
      if (scheme !== 'Bearer') return 'wrong scheme'
      const { raw } = request.certificate ?? {}
      const actual = raw && createHash('sha256').update(raw).digest('base64url')
      return actual === thumbprint ? undefined : 'wrong certificate'
    }
    // Every token is bound to a key or a certificate.
    if (jkt === undefined || scheme !== 'DPoP') return 'wrong scheme'
    const proof = await verifyProof(request, token, clock())
    if (typeof proof === 'string') return proof
    if (proof.thumbprint !== jkt) return 'wrong key'
    const now = clock()
    const use = { payload: '{}', expires: now.add({ seconds: replaySeconds }) }
    const isFirst = await artifacts.add(
      'ReplayDetection',
      digest(`${clientId} ${proof.id}`),
      use,
      now,
    )
    return isFirst ? undefined : 'replayed proof'
  }

  return async (request, scope) => {
    const [, name = '', token = ''] =
      /^(bearer|dpop) +([\w-]+)$/i.exec(request.authorization ?? '') ?? []
    const sent = name.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer'
    const scheme = request.proof === undefined ? sent : 'DPoP'
    const reject = (reason: AccessRejection): AccessResult => {
      const status = reason === 'missing scope' ? 403 : 401
      return { isAllowed: false, status, scheme, reason, ...toError(reason) }
    }
    if (token === '') return reject('no token')

    const found = await artifacts.find('AccessToken', digest(token), clock())
    const stored = found && (JSON.parse(found.payload) as AccessToken)
    const arrangement = stored && (await arrangements.find(stored.grantId, clock()))
    if (!stored || arrangement?.status !== 'active') return reject('unknown token')
    const problem = await findProblem(request, sent, token, stored)
    if (problem !== undefined) return reject(problem)
    // A token of the time before an amendment may have more.
    const agreed = new Set(arrangement.scopes)
    const scopes = (stored.scope ?? '').split(' ').filter((each) => agreed.has(each))
    if (!scopes.includes(scope)) return reject('missing scope')
    return { isAllowed: true, thirdPartyId: stored.clientId, arrangement, scopes }
  }
}

const proofProblems: ReadonlySet<AccessRejection> = new Set([
  'no proof',
  'invalid proof',
  'replayed proof',
])

function toError(reason: AccessRejection): { readonly error?: AccessError } {
  if (reason === 'no token') return {}
  if (reason === 'missing scope') return { error: 'insufficient_scope' }
  return { error: proofProblems.has(reason) ? 'invalid_dpop_proof' : 'invalid_token' }
}

/** Verifies a proof of possession as RFC 9449, section 4.3, lists it, except for replay. */
async function verifyProof(
  { method, url, proof }: ThirdPartyRequest,
  token: string,
  now: Temporal.Instant,
): Promise<{ readonly id: string; readonly thumbprint: string } | AccessRejection> {
  if (proof === undefined) return 'no proof'
  if (proof.length > proofLengthMax) return 'invalid proof'
  try {
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
      algorithms: [...fapiAlgorithms],
      typ: 'dpop+jwt',
      currentDate: new Date(now.epochMilliseconds),
    })
    const { jti, iat = 0, htm, htu, ath } = payload as JWTPayload & Record<string, unknown>
    const isFresh = Math.abs(now.epochMilliseconds / 1000 - iat) <= proofSeconds
    const isForRequest = htm === method && withoutQuery(htu) === withoutQuery(url)
    const hasId = typeof jti === 'string' && jti !== '' && jti.length <= proofIdLengthMax
    if (!isFresh || !isForRequest || !hasId || ath !== digest(token)) return 'invalid proof'
    return { id: jti, thumbprint: await calculateJwkThumbprint(protectedHeader.jwk ?? {}) }
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return 'invalid proof'
    throw error
  }
}

function withoutQuery(url: unknown): string | undefined {
  const parsed = typeof url === 'string' ? URL.parse(url) : null
  if (!parsed) return undefined
  parsed.search = ''
  parsed.hash = ''
  return parsed.href
}
