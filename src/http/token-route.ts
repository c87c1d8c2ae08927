import type { FastifyRequest } from 'fastify'
import type { Access } from '../auth/access.ts'
import {
  accessOperations,
  ContractError,
  clientTokenSeconds,
  type ErrorCode,
  type Operation,
  permits,
  type Scope,
  scopes,
  type TokenRequest,
  type TokenResponse,
} from '../contract/index.ts'
import { type HttpApp, toFastifyPath } from './app.ts'
import { resolveCallerAddress, type TrustedProxies } from './caller-address.ts'
import { sendJson } from './json.ts'
import { acceptForms } from './json-body.ts'
import { createRequestReader } from './request.ts'

const operation: Operation = accessOperations.issueToken
const reader = createRequestReader(operation)

/** Credentials are short, and the sender is not authenticated yet. */
const bodyBytesMax = 16 * 1024

/** A token request, as JSON or as an OAuth form. */
interface TokenCredentials {
  readonly clientId: string
  readonly secret: string
  readonly scope: string | undefined
  readonly isOauth: boolean
}

/**
 * Issues access tokens of API clients, with the scopes that the operations of this server use. Accepts JSON and the form
 * encoding of OAuth 2.0.
 */
export function mountTokens(
  app: HttpApp,
  access: Access,
  trustedProxies: TrustedProxies | undefined,
  usable: readonly Scope[] = scopes,
): void {
  // Only this route accepts forms.
  app.register(async (scope) => {
    acceptForms(scope)
    scope.route({
      method: operation.method,
      url: toFastifyPath(operation),
      config: { operation },
      bodyLimit: bodyBytesMax,
      handler: async (request, reply) => {
        const credentials = readCredentials(request)
        const { clientId, secret, isOauth } = credentials
        const address = resolveCallerAddress(request.raw, trustedProxies)
        const client = await access.authenticate({ clientId, secret, address })
        if (!client) throw rejection(credentials, 'wrong_credentials', 'oauth_invalid_client')
        const granted = selectScopes(credentials, client.scopes, usable)
        const token = await access.issue(client, granted)
        const answer: TokenResponse = {
          token,
          expires_in: clientTokenSeconds,
          ...(isOauth && { access_token: token, token_type: 'Bearer', scope: granted.join(' ') }),
        }
        // Required by RFC 6749, section 5.1, in addition to the `no-store` of every response.
        reply.header('pragma', 'no-cache')
        return sendJson(reply, JSON.stringify(answer))
      },
    })
  })
}

function readCredentials(request: FastifyRequest): TokenCredentials {
  const { body } = request
  if (body instanceof URLSearchParams) return readForm(body, request.headers.authorization)
  const { client_id, client_secret, scope } = reader.readBody(body) as TokenRequest
  return { clientId: client_id, secret: client_secret, scope, isOauth: false }
}

function readForm(form: URLSearchParams, authorization: string | undefined): TokenCredentials {
  const malformed = new ContractError('oauth_invalid_request')
  const names = [...form.keys()]
  if (new Set(names).size < names.length) throw malformed
  const grant = form.get('grant_type')
  if (!grant) throw malformed
  if (grant !== 'client_credentials') throw new ContractError('oauth_unsupported_grant')

  const inForm = { clientId: form.get('client_id'), secret: form.get('client_secret') }
  const inHeader = authorization === undefined ? undefined : basicCredentials(authorization)
  // RFC 6749, section 2.3: a client must not use more than one authentication method.
  if (inHeader && inForm.secret !== null) throw malformed
  if (inHeader && inForm.clientId !== null && inForm.clientId !== inHeader.clientId) throw malformed
  const { clientId, secret } = inHeader ?? inForm
  if (clientId === null || secret === null) throw new ContractError('oauth_invalid_client')
  return { clientId, secret, scope: form.get('scope') ?? undefined, isOauth: true }
}

/** Both parts are form-encoded before they are joined (RFC 6749, section 2.3.1). */
function basicCredentials(authorization: string): { clientId: string; secret: string } {
  const [, encoded = ''] = /^basic +([A-Za-z0-9+/=_-]+)$/i.exec(authorization) ?? []
  const [, clientId, secret] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  if (clientId === undefined || secret === undefined) {
    throw new ContractError('oauth_invalid_client')
  }
  return { clientId: decodeFormValue(clientId), secret: decodeFormValue(secret) }
}

function decodeFormValue(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new ContractError('oauth_invalid_client')
  }
}

/** The requested scopes, all of which the client must have; all usable scopes of the client if it requests none. */
function selectScopes(
  credentials: TokenCredentials,
  clientScopes: readonly Scope[],
  usable: readonly Scope[],
): readonly Scope[] {
  const reject = (sentence: string) =>
    rejection(credentials, 'invalid_request', 'oauth_invalid_scope', sentence)
  if (credentials.scope === undefined) {
    const granted = usable.filter((scope) => clientScopes.includes(scope))
    if (granted.length > 0) return granted
    throw reject(`the client has no scope of this server: ${usable.join(', ')}`)
  }
  const allowed = usable.filter((scope) => permits(clientScopes, scope))
  const requested = new Set(credentials.scope.split(' ').filter((name) => name !== ''))
  const granted = allowed.filter((scope) => requested.has(scope))
  if (requested.size > 0 && granted.length === requested.size) return granted
  throw reject('scope must contain only scopes of the client that this server uses')
}

function rejection(
  { isOauth }: TokenCredentials,
  own: ErrorCode,
  oauth: ErrorCode,
  sentence?: string,
): ContractError {
  return isOauth ? new ContractError(oauth) : new ContractError(own, sentence)
}
