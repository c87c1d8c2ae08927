import { createHash, randomBytes } from 'node:crypto'
import { createRemoteJWKSet, customFetch, jwtVerify } from 'jose'
import {
  discover,
  type Metadata,
  post,
  Refused,
  send,
  type ThirdPartyOptions,
} from './platform-calls.ts'
import { type KeyPair, makeKeyPair, signProof } from './proofs.ts'
import type { Flow, Session, Tokens } from './sessions.ts'
import { showToken } from './timeline.ts'

/** A year, which is the longest sharing. */
const sharingSeconds = 31_536_000
/** An access token is renewed when it is about to expire. */
const renewalMs = 30_000

export const budgetScopes = [
  'openid',
  'profile',
  'bank:accounts.basic:read',
  'bank:transactions:read',
] as const

export interface ReadOptions {
  /** Of an endpoint of the Consumer Data Standards. */
  readonly version?: number
  readonly title: string
  readonly rule: string
}

/** Pushes a request, as an OAuth client of the FAPI 2.0 profile. Returns the URL for the customer's browser. */
export async function pushRequest(options: ThirdPartyOptions, session: Session): Promise<string> {
  const { clientId, redirectUri, sessions } = options
  const metadata = await discover(options, session)
  const flow = {
    state: makeSecret(),
    nonce: makeSecret(),
    verifier: makeSecret(),
    proofKey: await makeKeyPair(),
  }
  const url = metadata.pushed_authorization_request_endpoint
  const parameters = {
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: budgetScopes.join(' '),
    code_challenge: createHash('sha256').update(flow.verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: flow.state,
    nonce: flow.nonce,
    sharing_duration: String(sharingSeconds),
  }
  const { request_uri: requestUri } = await post(
    options,
    session,
    url,
    parameters,
    {
      title: 'Pushes the request for consent',
      rule: 'RFC 9126: the request goes from server to server, signed by the third party. The browser can neither read nor change it.',
      shown: ['request_uri', 'expires_in'],
    },
    flow.proofKey,
  )
  session.flow = flow
  sessions.link(String(requestUri), session)
  const query = new URLSearchParams({ client_id: clientId, request_uri: String(requestUri) })
  return `${metadata.authorization_endpoint}?${query}`
}

/** Exchanges the code that the browser brought. */
export async function exchangeCode(
  options: ThirdPartyOptions,
  session: Session,
  { verifier, nonce, proofKey }: Flow,
  code: string,
): Promise<void> {
  const metadata = await discover(options, session)
  const body = await post(
    options,
    session,
    metadata.token_endpoint,
    {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: options.redirectUri,
    },
    {
      title: 'Exchanges the code for tokens',
      rule: 'RFC 7636 and RFC 9449: the code works once, and only with the verifier of the pushed request. The tokens are bound to the key of the DPoP proof.',
      hidden: ['code', 'code_verifier'],
      shown: ['token_type', 'expires_in', 'scope', 'cdr_arrangement_id'],
    },
    proofKey,
  )
  const subject = await verifyIdToken(options, session, metadata, String(body['id_token']), nonce)
  storeTokens(session, body, proofKey, subject)
}

/** Reads the name of the customer. */
export async function readName(
  options: ThirdPartyOptions,
  session: Session,
): Promise<string | undefined> {
  const { userinfo_endpoint: url } = await discover(options, session)
  const { sub, name } = (await readResource(options, session, url, {
    title: 'Reads who the customer is',
    rule: 'OpenID Connect: UserInfo has the claims about the customer. The ID token has none of them.',
  })) as { readonly sub?: unknown; readonly name?: unknown }
  if (sub !== session.tokens?.subject) throw new Refused(502, 'another customer')
  return typeof name === 'string' ? name : undefined
}

/** Reads data with the access token. */
export async function readResource(
  options: ThirdPartyOptions,
  session: Session,
  target: string,
  { version, title, rule }: ReadOptions,
): Promise<unknown> {
  if (!session.tokens) throw new Refused(401, 'not connected')
  if (session.tokens.expires - performance.now() < renewalMs) {
    await renew(options, session, session.tokens)
  }
  const { accessToken, proofKey } = session.tokens
  const url = new URL(target)
  const proof = await signProof(proofKey, 'GET', url.origin + url.pathname, accessToken)
  const headers = {
    authorization: `DPoP ${accessToken}`,
    dpop: proof,
    ...(version !== undefined && { 'x-v': `${version}` }),
  }
  const tokens = [showToken('DPoP proof', proof)]
  return send(options, session, url.href, { headers }, { title, rule, tokens, shown: ['meta'] })
}

async function renew(
  options: ThirdPartyOptions,
  session: Session,
  { refreshToken, proofKey, subject }: Tokens,
): Promise<void> {
  if (refreshToken === undefined) throw new Refused(401, 'the access token expired')
  const metadata = await discover(options, session)
  const body = await post(
    options,
    session,
    metadata.token_endpoint,
    { grant_type: 'refresh_token', refresh_token: refreshToken },
    {
      title: 'Requests a new access token',
      rule: 'Access tokens are valid for 10 minutes. The refresh token is valid until the sharing ends.',
      hidden: ['refresh_token'],
      shown: ['token_type', 'expires_in', 'scope', 'cdr_arrangement_id'],
    },
    proofKey,
  )
  storeTokens(session, body, proofKey, subject)
}

export async function withdrawConsent(options: ThirdPartyOptions, session: Session): Promise<void> {
  const { arrangementId = '' } = session.tokens ?? {}
  const metadata = await discover(options, session)
  await post(
    options,
    session,
    metadata.cdr_arrangement_revocation_endpoint,
    { cdr_arrangement_id: arrangementId },
    {
      title: 'Withdraws the consent',
      rule: 'Consumer Data Standards: the third party revokes the arrangement. All its tokens end in the same transaction.',
    },
  ).catch((error: unknown) => {
    // The customer withdrew it at the platform before.
    if (!(error instanceof Refused) || error.status !== 422) throw error
  })
}

/** Returns the subject. */
async function verifyIdToken(
  options: ThirdPartyOptions,
  session: Session,
  metadata: Metadata,
  token: string,
  nonce: string,
): Promise<string> {
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), {
    [customFetch]: async (url) => {
      const body = await send(
        options,
        session,
        url,
        {},
        {
          title: 'Reads the platform’s public keys',
          rule: 'OpenID Connect: the ID token is signed. It says that this customer was authenticated, for this request of this third party.',
          tokens: [showToken('id_token, verified with these keys', token)],
        },
      )
      return Response.json(body)
    },
  })
  const { issuer, clientId } = options
  const { payload } = await jwtVerify(token, keys, { issuer, audience: clientId })
  if (payload['nonce'] !== nonce) throw new Refused(502, 'another nonce')
  return String(payload.sub)
}

function storeTokens(
  session: Session,
  body: Readonly<Record<string, unknown>>,
  proofKey: KeyPair,
  subject: string,
): void {
  const { access_token: accessToken, refresh_token: refreshToken } = body
  session.tokens = {
    accessToken: String(accessToken),
    refreshToken: refreshToken === undefined ? session.tokens?.refreshToken : `${refreshToken}`,
    expires: performance.now() + Number(body['expires_in']) * 1000,
    proofKey,
    arrangementId: String(body['cdr_arrangement_id']),
    subject,
  }
}

function makeSecret(): string {
  return randomBytes(32).toString('base64url')
}
