import { createHash, randomBytes, randomUUID, type webcrypto } from 'node:crypto'
import {
  calculateJwkThumbprint,
  createRemoteJWKSet,
  customFetch,
  exportJWK,
  generateKeyPair,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose'
import type { Session, Sessions } from './sessions.ts'
import { type Call, type Fields, type ShownToken, showToken } from './timeline.ts'

const algorithm = 'ES256'
const assertionSeconds = 60
const timeoutMs = 15_000
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

type Key = webcrypto.CryptoKey

export interface KeyPair {
  readonly privateKey: Key
  /** Public. */
  readonly jwk: JWK
}

/** What must be remembered until the customer returns. */
export interface Flow {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly proofKey: KeyPair
}

export interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string | undefined
  readonly expires: number
  readonly proofKey: KeyPair
  readonly arrangementId: string
  /** Of the identity token. */
  readonly name: string | undefined
}

export interface ThirdPartyOptions {
  readonly issuer: string
  readonly clientId: string
  readonly redirectUri: string
  readonly key: KeyPair
  readonly sessions: Sessions
}

/** The response of the platform, if it is not the expected one. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** An OAuth client of the FAPI 2.0 profile. Every call is recorded in the session. */
export interface ThirdPartyClient {
  /** Pushes a request. Returns the URL for the customer's browser. */
  start(session: Session): Promise<string>
  /** Exchanges the code that the browser brought. */
  exchange(session: Session, flow: Flow, code: string): Promise<void>
  /** Reads data with the access token. */
  read(session: Session, path: string, options: ReadOptions): Promise<unknown>
  withdraw(session: Session): Promise<void>
}

export interface ReadOptions {
  readonly version: number
  readonly title: string
  readonly rule: string
}

interface Metadata {
  readonly issuer: string
  readonly authorization_endpoint: string
  readonly pushed_authorization_request_endpoint: string
  readonly token_endpoint: string
  readonly revocation_endpoint: string
  readonly jwks_uri: string
}

interface Sent extends Pick<Call, 'title' | 'rule' | 'sent'> {
  readonly tokens?: readonly (ShownToken | undefined)[]
  /** The names of the fields of the response that are shown. */
  readonly shown?: readonly string[]
}

export async function makeKeyPair(): Promise<KeyPair> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm)
  const jwk = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint(jwk)
  return { privateKey, jwk: { ...jwk, kid, alg: algorithm, use: 'sig' } }
}

export function openThirdParty(options: ThirdPartyOptions): ThirdPartyClient {
  const { issuer, clientId, redirectUri, sessions } = options

  /** Sends a request, and records it. */
  const send = async (session: Session, url: string, init: RequestInit, shown: Sent) => {
    const interactionId = randomUUID()
    sessions.link(interactionId, session)
    const started = performance.now()
    const call = {
      from: 'third party',
      to: 'platform',
      method: init.method ?? 'GET',
      url,
      title: shown.title,
      rule: shown.rule,
      sent: shown.sent,
      tokens: shown.tokens?.filter((token) => token !== undefined),
      started,
    } as const
    try {
      const response = await fetch(url, {
        ...init,
        headers: { ...(init.headers as object), 'x-fapi-interaction-id': interactionId },
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      })
      const text = await response.text()
      const body = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
      const { status } = response
      const received = [...describeError(body), ...pick(body, shown.shown ?? [])]
      sessions.record(session, { ...call, status, received, ms: performance.now() - started })
      if (!response.ok) throw new Refused(status, readError(body))
      return body
    } catch (error) {
      if (error instanceof Refused) throw error
      sessions.record(session, { ...call, ms: performance.now() - started })
      throw new Refused(503, 'no response')
    } finally {
      sessions.unlink(interactionId)
    }
  }

  const discover = async (session: Session): Promise<Metadata> => {
    const url = `${issuer}/.well-known/openid-configuration`
    const shown = ['issuer', 'pushed_authorization_request_endpoint', 'token_endpoint']
    const metadata = await send(
      session,
      url,
      {},
      {
        title: 'Reads where the platform’s endpoints are',
        rule: 'OpenID Connect Discovery: the third party needs to know one address, the issuer.',
        shown,
      },
    )
    if (metadata['issuer'] !== issuer) throw new Refused(502, 'another issuer')
    return metadata as unknown as Metadata
  }

  const post = async (
    session: Session,
    url: string,
    parameters: Record<string, string>,
    shown: Sent & { readonly hidden?: readonly string[] },
    proofKey?: KeyPair,
  ) => {
    const assertion = await signAssertion(options)
    const proof = proofKey && (await signProof(proofKey, 'POST', url))
    const body = new URLSearchParams({
      ...parameters,
      client_id: clientId,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
    })
    const { hidden = [] } = shown
    return send(
      session,
      url,
      { method: 'POST', body, headers: { ...(proof && { dpop: proof }) } },
      {
        ...shown,
        sent: Object.entries(parameters).map(([name, value]) => [
          name,
          hidden.includes(name) ? 'not shown' : value,
        ]),
        tokens: [
          showToken('client_assertion (private_key_jwt)', assertion),
          proof === undefined ? undefined : showToken('DPoP proof', proof),
        ],
      },
    )
  }

  /** Stores the tokens of a response. An identity token is verified. */
  const acceptTokens = async (
    session: Session,
    metadata: Metadata,
    body: Record<string, unknown>,
    proofKey: KeyPair,
    nonce?: string,
  ): Promise<void> => {
    const { id_token: idToken, access_token: accessToken, refresh_token: refreshToken } = body
    const claims =
      nonce === undefined ? {} : await verifyIdToken(session, metadata, String(idToken), nonce)
    session.tokens = {
      accessToken: String(accessToken),
      refreshToken: refreshToken === undefined ? session.tokens?.refreshToken : `${refreshToken}`,
      expires: performance.now() + Number(body['expires_in']) * 1000,
      proofKey,
      arrangementId: String(body['cdr_arrangement_id']),
      name: typeof claims['name'] === 'string' ? claims['name'] : session.tokens?.name,
    }
  }

  const verifyIdToken = async (
    session: Session,
    metadata: Metadata,
    token: string,
    nonce: string,
  ): Promise<Record<string, unknown>> => {
    const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), {
      [customFetch]: async (url) => {
        const shownToken = showToken('id_token, verified with these keys', token)
        const body = await send(
          session,
          url,
          {},
          {
            title: 'Reads the platform’s public keys',
            rule: 'OpenID Connect: the identity token is signed. Its claims about the customer are those that the provider returned.',
            tokens: [shownToken],
          },
        )
        return Response.json(body)
      },
    })
    const { payload } = await jwtVerify(token, keys, { issuer, audience: clientId })
    if (payload['nonce'] !== nonce) throw new Refused(502, 'another nonce')
    return payload
  }

  const renew = async (session: Session, tokens: Tokens): Promise<void> => {
    if (tokens.refreshToken === undefined) throw new Refused(401, 'the access token expired')
    const metadata = await discover(session)
    const body = await post(
      session,
      metadata.token_endpoint,
      { grant_type: 'refresh_token', refresh_token: tokens.refreshToken },
      {
        title: 'Requests a new access token',
        rule: 'Access tokens are valid for 10 minutes. The refresh token is valid until the sharing ends.',
        hidden: ['refresh_token'],
        shown: ['token_type', 'expires_in', 'scope', 'cdr_arrangement_id'],
      },
      tokens.proofKey,
    )
    await acceptTokens(session, metadata, body, tokens.proofKey)
  }

  return {
    async start(session) {
      const metadata = await discover(session)
      const flow = { ...makeSecrets(), proofKey: await makeKeyPair() }
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
    },

    async exchange(session, { verifier, nonce, proofKey }, code) {
      const metadata = await discover(session)
      const body = await post(
        session,
        metadata.token_endpoint,
        {
          grant_type: 'authorization_code',
          code,
          code_verifier: verifier,
          redirect_uri: redirectUri,
        },
        {
          title: 'Exchanges the code for tokens',
          rule: 'RFC 7636 and RFC 9449: the code works once, and only with the verifier of the pushed request. The tokens are bound to the key of the DPoP proof.',
          hidden: ['code', 'code_verifier'],
          shown: ['token_type', 'expires_in', 'scope', 'cdr_arrangement_id'],
        },
        proofKey,
      )
      await acceptTokens(session, metadata, body, proofKey, nonce)
    },

    async read(session, path, { version, title, rule }) {
      if (!session.tokens) throw new Refused(401, 'not connected')
      if (session.tokens.expires - performance.now() < renewalMs) {
        await renew(session, session.tokens)
      }
      const { accessToken, proofKey } = session.tokens
      const url = new URL(`${issuer}/cds-au/v1${path}`)
      const proof = await signProof(proofKey, 'GET', url.origin + url.pathname, accessToken)
      const headers = { authorization: `DPoP ${accessToken}`, dpop: proof, 'x-v': `${version}` }
      return send(
        session,
        url.href,
        { headers },
        { title, rule, tokens: [showToken('DPoP proof', proof)], shown: ['meta'] },
      )
    },

    async withdraw(session) {
      const { refreshToken = '' } = session.tokens ?? {}
      const metadata = await discover(session)
      await post(
        session,
        metadata.revocation_endpoint,
        { token: refreshToken, token_type_hint: 'refresh_token' },
        {
          title: 'Withdraws the consent',
          rule: 'RFC 7009: revoking the token withdraws the whole arrangement. Its other tokens end in the same transaction.',
          hidden: ['token'],
        },
      )
    },
  }
}

function makeSecrets() {
  const [state, nonce, verifier] = [0, 1, 2].map(() => randomBytes(32).toString('base64url'))
  return { state: state ?? '', nonce: nonce ?? '', verifier: verifier ?? '' }
}

/** The third party authenticates with its key; there is no shared secret. */
function signAssertion({ clientId, issuer, key }: ThirdPartyOptions): Promise<string> {
  return new SignJWT()
    .setProtectedHeader({ alg: algorithm, kid: key.jwk.kid ?? '' })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(issuer)
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime(`${assertionSeconds}s`)
    .sign(key.privateKey)
}

/** Proves the possession of the key that tokens are bound to, for one request. */
function signProof(
  { privateKey, jwk }: KeyPair,
  method: string,
  url: string,
  accessToken?: string,
): Promise<string> {
  const { kty, crv, x, y } = jwk
  const hash =
    accessToken === undefined
      ? {}
      : { ath: createHash('sha256').update(accessToken).digest('base64url') }
  return new SignJWT({ htm: method, htu: url, ...hash })
    .setProtectedHeader({ alg: algorithm, typ: 'dpop+jwt', jwk: { kty, crv, x, y } as JWK })
    .setJti(randomUUID())
    .setIssuedAt()
    .sign(privateKey)
}

function pick(body: Readonly<Record<string, unknown>>, names: readonly string[]): Fields {
  return names
    .filter((name) => body[name] !== undefined)
    .map((name) => [
      name,
      typeof body[name] === 'object' ? JSON.stringify(body[name]) : String(body[name]),
    ])
}

/** Of OAuth and of the Consumer Data Standards. */
function describeError(body: Readonly<Record<string, unknown>>): Fields {
  const { errors } = body as {
    readonly errors?: readonly { readonly code: string; readonly detail: string }[]
  }
  const listed = (errors ?? []).map(({ code, detail }) => [code, detail] as const)
  return [...listed, ...pick(body, ['error', 'error_description'])]
}

function readError(body: Readonly<Record<string, unknown>>): string {
  return describeError(body)
    .map(([, value]) => value)
    .join(': ')
}
