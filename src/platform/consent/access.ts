import { createHash, type X509Certificate } from 'node:crypto'
import { calculateJwkThumbprint, EmbeddedJWK, errors, type JWTPayload, jwtVerify } from 'jose'
import { digest } from '../../auth/secrets.ts'
import { demoThirdPartyId } from '../../contract/demo-ids.ts'
import type { thirdPartyRejectionTitles } from '../../contract/rejection-reasons.ts'
import { CdsError } from '../cds/errors.ts'
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

/**
 * Why a request is rejected, with the error code of RFC 6750 or RFC 9449. The reason is for the log: the third party learns
 * only the error.
 */
const rejections = {
  'no token': undefined,
  'unknown token': 'invalid_token',
  'wrong scheme': 'invalid_token',
  'no proof': 'invalid_dpop_proof',
  'invalid proof': 'invalid_dpop_proof',
  'replayed proof': 'invalid_dpop_proof',
  'wrong key': 'invalid_token',
  'wrong certificate': 'invalid_token',
  'missing scope': 'insufficient_scope',
} as const satisfies Record<keyof typeof thirdPartyRejectionTitles, string | undefined>
type Rejection = keyof typeof rejections

export type TokenScheme = 'Bearer' | 'DPoP'

/** How far `iat` of a proof may differ from the clock, in seconds. */
const proofSeconds = 60
/**
 * How long the use of a proof is stored: longer than a proof with a time in the future can be accepted, also by a process
 * whose clock is behind.
 */
const replaySeconds = 3 * proofSeconds
const proofLengthMax = 8192
const proofIdLengthMax = 256

/** What a valid token gives access to. */
export interface Access {
  readonly arrangement: StoredArrangement
  /** The requests with one access token, as the standards define a session. The key is a digest of the token. */
  readonly session: { readonly key: string; readonly ends: Temporal.Instant }
  /** The error of a request whose scope the token does not have. */
  readonly missingScope?: CdsError | undefined
}

/** What is stored of an access token. */
interface AccessToken {
  readonly clientId: string
  readonly grantId: string
  /** Seconds since 1970. */
  readonly exp: number
  readonly scope?: string
  readonly jkt?: string
  readonly 'x5t#S256'?: string
}

/**
 * Returns a function that verifies the access token of a request, its binding, its scope and its arrangement.
 * Every check reads the database: a withdrawal in any process takes effect with the next request.
 */
export function openAccessCheck(
  { artifacts, arrangements }: ConsentStore,
  clock: () => Temporal.Instant,
  isDemo = false,
) {
  const findProblem = async (
    request: ThirdPartyRequest,
    scheme: TokenScheme,
    token: string,
    stored: AccessToken,
  ): Promise<Rejection | undefined> => {
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
    const key = digest(`${clientId} ${proof.id}`)
    const isFirst = await artifacts.add('ReplayDetection', key, use, now)
    return isFirst ? undefined : 'replayed proof'
  }

  return async (request: ThirdPartyRequest, scope: string): Promise<Access> => {
    const [, name = '', token = ''] =
      /^(bearer|dpop) +([\w-]+)$/i.exec(request.authorization ?? '') ?? []
    const sent = name.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer'
    const scheme = request.proof === undefined ? sent : 'DPoP'
    if (token === '') throw rejectAccess(scheme, 'no token')

    const key = digest(token)
    const found = await artifacts.find('AccessToken', key, clock())
    const stored = found && (JSON.parse(found.payload) as AccessToken)
    const arrangement = stored && (await arrangements.find(stored.grantId, clock()))
    const isRefused = !isDemo && stored?.clientId === demoThirdPartyId
    if (!stored || isRefused || arrangement?.status !== 'active')
      throw rejectAccess(scheme, 'unknown token')
    const problem = await findProblem(request, sent, token, stored)
    if (problem !== undefined) throw rejectAccess(scheme, problem)
    // A token of the time before an amendment may have more.
    const isAgreed = arrangement.scopes.includes(scope) && stored.scope?.split(' ').includes(scope)
    const ends = Temporal.Instant.fromEpochMilliseconds(stored.exp * 1000)
    const missingScope = isAgreed ? undefined : rejectAccess(scheme, 'missing scope', scope)
    return { arrangement, session: { key, ends }, missingScope }
  }
}

const tokenDetail = 'the access token is missing, expired, withdrawn, or not bound to this client'

export function rejectAccess(scheme: TokenScheme, cause: Rejection, scope = ''): CdsError {
  const error = rejections[cause]
  const challenge = error === undefined ? scheme : `${scheme} error="${error}"`
  if (error !== 'insufficient_scope') {
    return new CdsError('invalidToken', tokenDetail, { 'www-authenticate': challenge }, { cause })
  }
  const headers = { 'www-authenticate': `${challenge}, scope="${scope}"` }
  const detail = `the consent does not include ${scope}`
  return new CdsError('insufficientScope', detail, headers, { cause })
}

/** Verifies a proof of possession as RFC 9449, section 4.3, lists it, except for replay. */
async function verifyProof(
  { method, url, proof }: ThirdPartyRequest,
  token: string,
  now: Temporal.Instant,
): Promise<{ readonly id: string; readonly thumbprint: string } | Rejection> {
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
