import { randomUUID } from 'node:crypto'
import { type KeyPair, signAssertion, signProof } from './proofs.ts'
import type { Session, Sessions } from './sessions.ts'
import { type Call, type Fields, type ShownToken, showToken } from './timeline.ts'

const timeoutMs = 15_000

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

/** Of the platform. */
export interface Metadata {
  readonly issuer: string
  readonly authorization_endpoint: string
  readonly pushed_authorization_request_endpoint: string
  readonly token_endpoint: string
  readonly cdr_arrangement_revocation_endpoint: string
  readonly jwks_uri: string
}

export interface Sent extends Pick<Call, 'title' | 'rule' | 'sent'> {
  readonly tokens?: readonly (ShownToken | undefined)[]
  /** The names of the fields of the response that are shown. */
  readonly shown?: readonly string[]
}

type Body = Readonly<Record<string, unknown>>

/** The calls of the third party to the platform. Each is recorded in the session, and throws `Refused` if it fails. */
export interface PlatformCalls {
  send(session: Session, url: string, init: RequestInit, shown: Sent): Promise<Body>
  /** Sends a form, with the authentication of the third party. Hidden parameters are not recorded. */
  post(
    session: Session,
    url: string,
    parameters: Readonly<Record<string, string>>,
    shown: Sent & { readonly hidden?: readonly string[] },
    proofKey?: KeyPair,
  ): Promise<Body>
  discover(session: Session): Promise<Metadata>
}

export function openPlatformCalls(options: ThirdPartyOptions): PlatformCalls {
  const send: PlatformCalls['send'] = (...call) => sendRequest(options.sessions, ...call)
  return {
    send,
    post: (...call) => postForm(options, send, ...call),
    discover: (session) => discover(options, send, session),
  }
}

/** Sends a request, and records it. */
async function sendRequest(
  sessions: Sessions,
  session: Session,
  url: string,
  init: RequestInit,
  shown: Sent,
): Promise<Body> {
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

async function discover(
  { issuer }: ThirdPartyOptions,
  send: PlatformCalls['send'],
  session: Session,
): Promise<Metadata> {
  const url = `${issuer}/.well-known/openid-configuration`
  const metadata = await send(
    session,
    url,
    {},
    {
      title: 'Reads where the platform’s endpoints are',
      rule: 'OpenID Connect Discovery: the third party needs to know one address, the issuer.',
      shown: ['issuer', 'pushed_authorization_request_endpoint', 'token_endpoint'],
    },
  )
  if (metadata['issuer'] !== issuer) throw new Refused(502, 'another issuer')
  return metadata as unknown as Metadata
}

async function postForm(
  options: ThirdPartyOptions,
  send: PlatformCalls['send'],
  ...[session, url, parameters, shown, proofKey]: Parameters<PlatformCalls['post']>
): Promise<Body> {
  const assertion = await signAssertion(options.key, options)
  const proof = proofKey && (await signProof(proofKey, 'POST', url))
  const body = new URLSearchParams({
    ...parameters,
    client_id: options.clientId,
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
