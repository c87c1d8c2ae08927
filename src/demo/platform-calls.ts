import { randomUUID } from 'node:crypto'
import { decodeUtf8, parseJson } from '../contract/parse-json.ts'
import { readBytes } from '../contract/read-bytes.ts'
import { isObject } from '../contract/schema.ts'
import { type KeyPair, signAssertion, signProof } from './proofs.ts'
import type { Session, Sessions } from './sessions.ts'
import { type Call, type Fields, type ShownToken, showToken } from './timeline.ts'

const timeoutMs = 15_000

/** Far more than a page of the demo's data. */
const responseBytesMax = 16 * 1024 * 1024

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
  readonly userinfo_endpoint: string
}

export interface Sent extends Pick<Call, 'title' | 'rule' | 'sent'> {
  readonly tokens?: readonly (ShownToken | undefined)[]
  /** The names of the fields of the response that are shown. */
  readonly shown?: readonly string[]
}

type Body = Readonly<Record<string, unknown>>

/** Sends a request of the third party to the platform, and records it. Throws `Refused` if it fails. */
export async function send(
  { sessions }: ThirdPartyOptions,
  session: Session,
  url: string,
  init: RequestInit,
  shown: Sent,
): Promise<Body> {
  const interactionId = randomUUID()
  sessions.link(interactionId, session)
  const started = performance.now()
  const { shown: names = [], tokens, ...described } = shown
  const call = {
    id: interactionId,
    from: 'third party',
    to: 'platform',
    method: init.method ?? 'GET',
    url,
    ...described,
    tokens: tokens?.filter((token) => token !== undefined),
    started,
  } as const
  try {
    const response = await fetch(url, {
      ...init,
      headers: { ...(init.headers as object), 'x-fapi-interaction-id': interactionId },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const bytes = await readBytes(response.body, responseBytesMax)
    if (!bytes) throw new Error('the response is too large')
    const parsed = parseJson(decodeUtf8(bytes))
    const body = isObject(parsed) ? parsed : {}
    const { status } = response
    const errors = describeError(body)
    const received = [...errors, ...pick(body, names)]
    sessions.record(session, { ...call, status, received, ms: performance.now() - started })
    if (!response.ok) throw new Refused(status, errors.map(([, text]) => text).join(': '))
    return body
  } catch (error) {
    if (error instanceof Refused) throw error
    sessions.record(session, { ...call, ms: performance.now() - started })
    throw new Refused(503, 'no response')
  } finally {
    sessions.unlink(interactionId)
  }
}

export async function discover(options: ThirdPartyOptions, session: Session): Promise<Metadata> {
  const { issuer } = options
  const url = `${issuer}/.well-known/openid-configuration`
  const shown = {
    title: 'Reads where the platform’s endpoints are',
    rule: 'OpenID Connect Discovery: the third party needs to know one address, the issuer.',
    shown: ['issuer', 'pushed_authorization_request_endpoint', 'token_endpoint'],
  }
  const metadata = await send(options, session, url, {}, shown)
  if (metadata['issuer'] !== issuer) throw new Refused(502, 'another issuer')
  return metadata as unknown as Metadata
}

/** Sends a form, with the authentication of the third party. Hidden parameters are not recorded. */
export async function post(
  options: ThirdPartyOptions,
  session: Session,
  url: string,
  parameters: Readonly<Record<string, string>>,
  { hidden = [], ...shown }: Sent & { readonly hidden?: readonly string[] },
  proofKey?: KeyPair,
): Promise<Body> {
  const assertion = await signAssertion(options.key, options)
  const proof = proofKey && (await signProof(proofKey, 'POST', url))
  const body = new URLSearchParams({
    ...parameters,
    client_id: options.clientId,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  })
  const init = { method: 'POST', body, headers: { ...(proof && { dpop: proof }) } }
  return send(options, session, url, init, {
    ...shown,
    sent: Object.entries(parameters).map(([name, value]) => [
      name,
      hidden.includes(name) ? 'not shown' : value,
    ]),
    tokens: [
      showToken('client_assertion (private_key_jwt)', assertion),
      proof === undefined ? undefined : showToken('DPoP proof', proof),
    ],
  })
}

function pick(body: Body, names: readonly string[]): Fields {
  return names
    .filter((name) => body[name] !== undefined)
    .map((name) => [
      name,
      typeof body[name] === 'object' ? JSON.stringify(body[name]) : String(body[name]),
    ])
}

/** Of OAuth and of the Consumer Data Standards. */
function describeError(body: Body): Fields {
  const { errors } = body as {
    readonly errors?: readonly { readonly code: string; readonly detail: string }[]
  }
  const listed = (errors ?? []).map(({ code, detail }) => [code, detail] as const)
  return [...listed, ...pick(body, ['error', 'error_description'])]
}
