/** Why a request was rejected, in a sentence. The reason of the log stays beside it, as a code. */
const sentences: ReadonlyMap<string, string> = new Map([
  ['no token', 'The request had no token'],
  ['two Authorization headers', 'The request had two tokens'],
  ['not a bearer token', 'The request had another kind of credentials than a bearer token'],
  ['too long', 'The token is too long'],
  ['not three segments', 'The token is not a signed JWT'],
  ['not base64url', 'The token is not encoded correctly'],
  ['header is not UTF-8', 'The header of the token is not text'],
  ['header is not an object', 'The header of the token is not JSON'],
  ['header repeats a member', 'The header of the token has a field twice'],
  ['payload is not UTF-8', 'The content of the token is not text'],
  ['payload is not an object', 'The content of the token is not JSON'],
  ['payload repeats a member', 'The content of the token has a field twice'],
  ['crit', 'The token requires an extension that is not supported'],
  ['b64', 'The token is encoded in another way than JWTs are'],
  ['alg', 'The token is signed with an algorithm that is not accepted'],
  ['kid', 'The token does not name its key correctly'],
  ['exp', 'The token has no valid end'],
  ['exp has passed', 'The token has expired'],
  ['exp is too far in the future', 'The token is valid for too long'],
  ['nbf', 'The token is not valid yet'],
  ['iat', 'The token does not say correctly when it was issued'],
  ['iss', 'The token was issued by another platform'],
  ['sub', 'The token is for another provider'],
  ['aud', 'The token is for another address'],
  ['jti', 'The token has no valid ID'],
  ['unknown key', 'The token is signed with a key that the platform does not publish'],
  ['signature', 'The signature of the token is wrong'],
  ['jti was used before', 'The token was used before'],
  ['exp is before the last purge', 'The token expired before the last removal of used tokens'],
  ['the client closed the connection', 'The client closed the connection before the response'],
])

/** Of the pages for customers, which have forms instead of errors in JSON. */
const pageSentences: ReadonlyMap<number, string> = new Map([
  [403, 'A page was opened from another site or without its cookie'],
  [404, 'A page does not exist'],
  [409, 'A page belongs to a consent that has ended'],
  [410, 'A page was opened too late'],
  [422, 'A customer entered something that the page did not accept'],
  [429, 'A customer tried too often'],
])

/** Undefined if the reason is a sentence itself. */
export function explainReason(reason: string): string | undefined {
  const status = /^status (\d+)$/.exec(reason)?.[1]
  if (status === undefined) return sentences.get(reason)
  return pageSentences.get(Number(status)) ?? `The response had the status ${status}`
}
