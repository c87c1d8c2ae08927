import { ContractError, countCharacters, type Operation } from '../contract/index.ts'
import type { RejectionReason } from '../contract/rejection-reasons.ts'
import { findAlgorithm } from './algorithms.ts'
import type { KeySet } from './key-set.ts'
import type { ReplayStore, TokenUse, UseOutcome } from './replay-store.ts'
import { parseToken, type Token, TokenRejected } from './token.ts'

/** How far clocks may differ, in seconds. A replay record is kept that much longer than its token is valid. */
export const clockToleranceSeconds = 30

/** The longest accepted time until `exp`, which limits how long a replay record is kept. */
const tokenAgeMaxSeconds = 24 * 60 * 60

const tokenIdLengthMax = 256

interface TokenVerifierOptions {
  readonly subdomain: string
  readonly bases: { readonly provider: string; readonly resource: string }
  readonly keys: KeySet
  readonly replay: Pick<ReplayStore, 'recordUse'>
  readonly clock: () => Temporal.Instant
  /** Called after every attempt to record a token. */
  readonly onAttempt?: ((isRecorded: boolean) => void) | undefined
}

export interface AuthRequest {
  /** Every Authorization header that was sent. */
  readonly authorization: readonly string[]
  /** The path as sent, without the query. */
  readonly path: string
  readonly operation: Operation
  /** Records the use of the token in place of the replay store. */
  readonly recordUse?: ((use: TokenUse) => Promise<UseOutcome>) | undefined
}

/** What a token is verified for: of the operation, only the base of its path. */
type VerifiedRequest = Omit<AuthRequest, 'operation'> & {
  readonly operation: Pick<Operation, 'base'>
}

/** All checks have passed except the replay check, which is still running: no response may be sent before it ends. */
interface AuthResult {
  readonly recorded: Promise<void>
  /** The key that signed the token, if the token names it. */
  readonly keyId?: string | undefined
}

export type VerifyToken = (request: AuthRequest) => Promise<AuthResult>

/**
 * The five checks of the interface's Authentication section. Rejects with `TokenRejected` and the reason. The fifth, replay
 * protection, runs concurrently with the handler.
 */
export function createTokenVerifier({
  subdomain,
  bases,
  keys,
  replay,
  clock,
  onAttempt,
}: TokenVerifierOptions) {
  return async ({
    authorization,
    path,
    operation,
    recordUse = (use) => replay.recordUse(use.tokenId, use.keptUntil),
  }: VerifiedRequest): Promise<AuthResult> => {
    const token = parseToken(bearerToken(authorization))
    const now = clock().epochMilliseconds / 1000
    // Checked before the signature, which is expensive: a flood of invalid tokens costs little.
    const base = operation.base === 'resource' ? bases.resource : bases.provider
    const { tokenId, expiresAt } = verifyClaims(token, { subdomain, base, path }, now)
    const algorithm = findAlgorithm(token.algorithm)
    if (!algorithm) throw new TokenRejected('alg', token.text)
    const keyQuery = [token.algorithm, token.keyId] as const
    const key = keys.cached(...keyQuery) ?? (await keys.find(...keyQuery))
    if (!key) throw new TokenRejected('unknown key', token.text)
    if (!algorithm.verify(token.signedText, key, token.signature)) {
      throw new TokenRejected('signature', token.text)
    }
    // Last, so that a forged token cannot use up the id of a valid one.
    const keptUntil = Math.ceil(expiresAt + clockToleranceSeconds)
    const recorded = recordUse({ tokenId, keptUntil }).then(
      (outcome) => {
        const reason = reasonByOutcome[outcome]
        if (!reason) onAttempt?.(true)
        else throw new TokenRejected(reason, token.text)
      },
      (cause: unknown) => {
        onAttempt?.(false)
        throw new ContractError('unavailable', 'the token use could not be recorded', { cause })
      },
    )
    // Prevents an unhandled rejection: an aborted request may never await it.
    recorded.catch(() => {})
    return { recorded, keyId: token.keyId }
  }
}

const reasonByOutcome: Readonly<Record<UseOutcome, RejectionReason | undefined>> = {
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

/** Returns the token's id and expiry. */
export function verifyClaims(
  token: Token,
  { subdomain, base, path }: Readonly<Record<'subdomain' | 'base' | 'path', string>>,
  now: number,
): { tokenId: string; expiresAt: number } {
  const { exp, nbf, iat, iss, sub, aud, jti } = token.claims
  const reject = (reason: RejectionReason, expected?: string): never => {
    throw new TokenRejected(reason, token.text, expected)
  }
  if (!isTime(exp)) return reject('exp')
  if (exp + clockToleranceSeconds <= now) reject('exp has passed')
  if (exp > now + tokenAgeMaxSeconds + clockToleranceSeconds) reject('exp is too far in the future')
  const isInFuture = (time: unknown) => !(isTime(time) && time <= now + clockToleranceSeconds)
  if (nbf !== undefined && isInFuture(nbf)) reject('nbf')
  if (iat !== undefined && isInFuture(iat)) reject('iat')
  if (iss !== subdomain) reject('iss', subdomain)
  if (sub !== subdomain) reject('sub', subdomain)
  const audience = Array.isArray(aud) && aud.length === 1 ? aud[0] : aud
  // The path may contain the id of a customer.
  if (audience !== base + path) reject('aud', `${base}…`)
  if (typeof jti !== 'string' || !isTokenId(jti)) return reject('jti')
  return { tokenId: jti, expiresAt: exp }
}

/** Lone surrogates are all encoded as the same replacement character, so different ids would collide. */
function isTokenId(text: string): boolean {
  return text !== '' && text.isWellFormed() && countCharacters(text) <= tokenIdLengthMax
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}
