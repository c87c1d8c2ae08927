import { ContractError, type ErrorCode } from '../../contract/index.ts'

/** Why a response of the upstream is missing or not handed on, and the error that the client gets instead. */
export const upstreamFailures = {
  'connection failed': 'unavailable',
  'connect timeout': 'gateway_timeout',
  'TLS handshake failed': 'bad_gateway',
  'first byte timeout': 'gateway_timeout',
  'total timeout': 'gateway_timeout',
  'connection closed': 'bad_gateway',
  'invalid HTTP': 'bad_gateway',
  'response too large': 'bad_gateway',
  'too many buffered bytes': 'unavailable',
  'too many waiting bytes': 'unavailable',
  redirect: 'bad_gateway',
  'compressed response': 'bad_gateway',
  'response is not JSON': 'bad_gateway',
  'response is empty': 'bad_gateway',
  'invalid response': 'bad_gateway',
  'credentials rejected': 'bad_gateway',
  'server error': 'bad_gateway',
  unavailable: 'unavailable',
  'gateway timeout': 'gateway_timeout',
  'client closed the connection': 'unavailable',
} as const satisfies Record<string, ErrorCode>

export type UpstreamFailure = keyof typeof upstreamFailures

/** The outcome of a request that was answered by the upstream. */
export const answered = 'answered'

export type UpstreamOutcome = typeof answered | UpstreamFailure

/** What the reasons in logs and reports start with. */
const reasonPrefix = 'upstream: '

export function upstreamError(reason: UpstreamFailure, retryAfterSeconds?: number): ContractError {
  const text = reasonPrefix + reason
  return new ContractError(upstreamFailures[reason], text, {
    reason: text,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}

/** The failure that an error stands for; undefined if it is not one of `upstreamError`. */
export function failureOf(error: unknown): UpstreamFailure | undefined {
  const reason = error instanceof ContractError ? error.reason : undefined
  return reason?.startsWith(reasonPrefix)
    ? (reason.slice(reasonPrefix.length) as UpstreamFailure)
    : undefined
}

const failureByCode: ReadonlyMap<string, UpstreamFailure> = new Map([
  ['UND_ERR_CONNECT_TIMEOUT', 'connect timeout'],
  ['UND_ERR_HEADERS_OVERFLOW', 'invalid HTTP'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'invalid HTTP'],
  ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'response too large'],
])

/** Of Node and OpenSSL; the codes of failed verifications of a certificate have no common prefix. */
const tlsCodes = /^(ERR_SSL_|ERR_TLS_|EPROTO$)|CERT|UNABLE_TO_|HOSTNAME_MISMATCH|SIGNATURE/

/** `isSent`: the connection was established before the error. */
export function classifyError(error: Error, isSent: boolean): UpstreamFailure {
  const { name, code = '' } = error as NodeJS.ErrnoException
  const known = failureByCode.get(code)
  if (known) return known
  if (name === 'HTTPParserError') return 'invalid HTTP'
  if (tlsCodes.test(code)) return 'TLS handshake failed'
  if (isSent) return 'connection closed'
  return code === 'ETIMEDOUT' ? 'connect timeout' : 'connection failed'
}

/** Whether the upstream closed the connection, which it may do with an idle one at any time. */
export function isConnectionClosed(error: Error): boolean {
  const { code = '' } = error as NodeJS.ErrnoException
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(code)
}
