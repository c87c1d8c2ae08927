/** Where a session began. An address itself would be personal data. */
export const addressKinds = ['this_machine', 'private_network', 'internet'] as const
export type AddressKind = (typeof addressKinds)[number]

/** Why a sign-in at the identity provider failed. The console explains each. */
export const signInFailures = [
  'unreachable',
  'denied',
  'expired',
  'clock',
  'rejected',
  'too_many',
] as const
export type SignInFailure = (typeof signInFailures)[number]

/** The parameter of the console's address with a `SignInFailure`. */
export const signInFailureParameter = 'sign-in'

/** Where the identity provider sends the browser back to. */
export const signInCallbackPath = '/v1/session/callback'

export const returnPathLengthMax = 500

/**
 * The path to go to after a sign-in, without what a parser would resolve. Undefined unless it is one of the console: a link
 * must not lead to another site.
 */
export function parseReturnPath(text: string): string | undefined {
  if (text.length > returnPathLengthMax || !/^\/console([/?][!-~]*)?$/.test(text)) return undefined
  const base = 'http://console.invalid'
  const url = URL.parse(text, base)
  const isOfConsole = url?.origin === base && /^\/console(\/|$)/.test(url.pathname)
  return url && isOfConsole ? url.pathname + url.search : undefined
}
