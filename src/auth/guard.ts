import { ContractError, countCharacters, type Operation } from '../contract/index.ts'
import { findAlgorithm } from './algorithms.ts'
import type { KeySet } from './key-set.ts'
import type { RejectionReason } from './rejection-reasons.ts'
import type { ReplayStore, UseOutcome } from './replay-store.ts'
import { parseToken, type Token, TokenRejected } from './token.ts'

/** How far clocks may differ, in seconds. It is also how much longer a claim is kept. */
export const clockToleranceSeconds = 30

/** How far away the end of a token may be, which bounds how long its claim is kept. */
export const tokenAgeMaxSeconds = 24 * 60 * 60

const tokenIdLengthMax = 256

export interface GuardOptions {
  readonly subdomain: string
  readonly bases: Readonly<Record<Operation['base'], string>>
  readonly keys: KeySet
  readonly replay: ReplayStore
  readonly clock: () => Temporal.Instant
  /** Told of every attempt to record a token, and whether it was recorded. */
  readonly onAttempt?: ((isRecorded: boolean) => void) | undefined
}

export interface AuthRequest {
  /** Every Authorization header that was sent. */
  readonly authorization: readonly string[]
  /** The path as it was sent, without its query. */
  readonly path: string
  readonly operation: Operation
}

/** Every check was passed but the last, which is under way: no answer may leave before it is. */
export interface AuthResult {
  readonly recorded: Promise<void>
}

export type Guard = (asked: AuthRequest) => Promise<AuthResult>

/**
 * The five checks of the interface's Authentication section. Throws `TokenRejected` with the one that failed. The
 * fifth, whether the token was used before, goes beside the answer's making rather than before it.
 */
export function openGuard({
  subdomain,
  bases,
  keys,
  replay: claims,
  clock,
  onAttempt,
}: GuardOptions): Guard {
  return async ({ authorization, path, operation }) => {
    const token = parseToken(bearerToken(authorization))
    const now = clock().epochMilliseconds / 1000
    // Cheap to check, so checked before the signature: a flood of bad tokens costs little.
    const { tokenId, expiresAt } = verifyClaims(token, subdomain, bases[operation.base] + path, now)
    const algorithm = findAlgorithm(token.algorithm)
    if (!algorithm) throw new TokenRejected('alg', token.text)
    const wanted = [token.algorithm, token.keyId] as const
    const key = keys.cached(...wanted) ?? (await keys.find(...wanted))
    if (!key) throw new TokenRejected('unknown key', token.text)
    if (!algorithm.verify(token.signedText, key, token.signature)) {
      throw new TokenRejected('signature', token.text)
    }
    // Last, so that a forgery cannot spend the id of a good token.
    const keptUntil = Math.ceil(expiresAt + clockToleranceSeconds)
    const recorded = claims.recordUse(tokenId, keptUntil).then(
      (outcome) => {
        const reason = refusalByOutcome[outcome]
        if (!reason) onAttempt?.(true)
        else throw new TokenRejected(reason, token.text)
      },
      (cause: unknown) => {
        onAttempt?.(false)
        throw new ContractError('unavailable', 'the claim could not be written', { cause })
      },
    )
    // Whoever asked may be gone before anybody waits for it.
    recorded.catch(() => {})
    return { recorded }
  }
}

const refusalByOutcome: Readonly<Record<UseOutcome, RejectionReason | undefined>> = {
  'first use': undefined,
  'used before': 'jti was used before',
  purged: 'exp is before the last purge',
}

const scheme = 'bearer '

function bearerToken(authorization: readonly string[]): string {
  const [value] = authorization
  if (value === undefined) throw new TokenRejected('no token')
  if (authorization.length > 1) throw new TokenRejected('two Authorization headers')
  if (value.slice(0, scheme.length).toLowerCase() !== scheme) {
    throw new TokenRejected('not a bearer token')
  }
  let start = scheme.length
  while (value[start] === ' ') start += 1
  const text = value.slice(start)
  if (text === '' || text.includes(' ')) throw new TokenRejected('not a bearer token')
  return text
}

function verifyClaims(
  token: Token,
  subdomain: string,
  resource: string,
  now: number,
): { tokenId: string; expiresAt: number } {
  const { exp, nbf, iat, iss, sub, aud, jti } = token.claims
  const refuse = (claim: RejectionReason): never => {
    throw new TokenRejected(claim, token.text)
  }
  if (!isTime(exp)) return refuse('exp')
  if (exp + clockToleranceSeconds <= now) refuse('exp has passed')
  if (exp > now + tokenAgeMaxSeconds + clockToleranceSeconds) refuse('exp is too far in the future')
  const isLater = (time: unknown) => !(isTime(time) && time <= now + clockToleranceSeconds)
  if (nbf !== undefined && isLater(nbf)) refuse('nbf')
  if (iat !== undefined && isLater(iat)) refuse('iat')
  if (iss !== subdomain) refuse('iss')
  if (sub !== subdomain) refuse('sub')
  const audience = Array.isArray(aud) && aud.length === 1 ? aud[0] : aud
  if (audience !== resource) refuse('aud')
  if (typeof jti !== 'string' || !isTokenId(jti)) return refuse('jti')
  return { tokenId: jti, expiresAt: exp }
}

/** Half of a character would be written as any other half: two ids would be one. */
function isTokenId(text: string): boolean {
  return text !== '' && text.isWellFormed() && countCharacters(text) <= tokenIdLengthMax
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}
