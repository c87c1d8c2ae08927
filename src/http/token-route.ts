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
import { createRequestReader } from './request.ts'
import type { LogDetail } from './request-log.ts'

const operation: Operation = accessOperations.issueToken
const read = createRequestReader(operation)
const formType = 'application/x-www-form-urlencoded'

/** Credentials are short, and the sender is not authenticated yet. */
const bodyBytesMax = 16 * 1024

/** A token request, in either form. */
interface Asked {
  readonly clientId: string
  readonly secret: string
  readonly scope: string | undefined
  readonly isOauth: boolean
}

/** Tokens for the catalogue, asked for in JSON or in the form of OAuth 2.0. */
export function mountTokens(
  app: HttpApp,
  access: Access,
  trustedProxies: TrustedProxies | undefined,
): void {
  // Forms are taken here and nowhere else.
  app.register(async (scope) => {
    scope.addContentTypeParser(formType, { parseAs: 'string' }, (_request, text, done) =>
      done(null, new URLSearchParams(String(text))),
    )
    scope.route({
      method: operation.method,
      url: toFastifyPath(operation),
      config: { operation },
      bodyLimit: bodyBytesMax,
      handler: async (request, reply) => {
        const asked = askedOf(request)
        const { clientId, secret, isOauth } = asked
        const address = resolveCallerAddress(request.raw, trustedProxies)
        const { client, outdatedClientId } = await access.authenticate({
          clientId,
          secret,
          address,
        })
        if (outdatedClientId !== undefined) request.logDetail = outdatedSecret(outdatedClientId)
        if (!client) throw refusal(asked, 'wrong_credentials', 'oauth_invalid_client')
        const given = scopesOf(asked, client.scopes)
        const token = await access.issue(client, given)
        const answer: TokenResponse = {
          token,
          expires_in: clientTokenSeconds,
          ...(isOauth && { access_token: token, token_type: 'Bearer', scope: given.join(' ') }),
        }
        // As RFC 6749 (5.1) wants it, beside the `no-store` that every answer has.
        reply.header('pragma', 'no-cache')
        return sendJson(reply, JSON.stringify(answer))
      },
    })
  })
}

/** Only an operator can act on it, so only the log says it. */
function outdatedSecret(clientId: string): LogDetail {
  const reason = 'the secret was stored by an earlier version: run holdfast client rotate'
  return { level: 'warn', message: 'client rejected', fields: { clientId, reason } }
}

function askedOf(request: FastifyRequest): Asked {
  const { body } = request
  if (body instanceof URLSearchParams) return askedInForm(body, request.headers.authorization)
  const { client_id, client_secret, scope } = read.body(body) as TokenRequest
  return { clientId: client_id, secret: client_secret, scope, isOauth: false }
}

function askedInForm(form: URLSearchParams, authorization: string | undefined): Asked {
  const malformed = new ContractError('oauth_invalid_request')
  const names = [...form.keys()]
  if (new Set(names).size < names.length) throw malformed
  const grant = form.get('grant_type')
  if (!grant) throw malformed
  if (grant !== 'client_credentials') throw new ContractError('oauth_unsupported_grant')

  const inForm = { clientId: form.get('client_id'), secret: form.get('client_secret') }
  const inHeader = authorization === undefined ? undefined : basicCredentials(authorization)
  // Two ways at once would leave it open which of them counts.
  if (inHeader && inForm.secret !== null) throw malformed
  if (inHeader && inForm.clientId !== null && inForm.clientId !== inHeader.clientId) throw malformed
  const { clientId, secret } = inHeader ?? inForm
  if (clientId === null || secret === null) throw new ContractError('oauth_invalid_client')
  return { clientId, secret, scope: form.get('scope') ?? undefined, isOauth: true }
}

/** Both parts are written as in a form before they are joined (RFC 6749, 2.3.1). */
function basicCredentials(authorization: string): { clientId: string; secret: string } {
  const [, encoded = ''] = /^basic +([A-Za-z0-9+/=_-]+)$/i.exec(authorization) ?? []
  const [, clientId, secret] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  if (clientId === undefined || secret === undefined) {
    throw new ContractError('oauth_invalid_client')
  }
  return { clientId: formDecoded(clientId), secret: formDecoded(secret) }
}

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new ContractError('oauth_invalid_client')
  }
}

/** Those that were asked for, where the client has them all; else all that it has. */
function scopesOf(asked: Asked, granted: readonly Scope[]): readonly Scope[] {
  if (asked.scope === undefined) return granted
  const allowed = scopes.filter((scope) => permits(granted, scope))
  const wanted = new Set(asked.scope.split(' ').filter((name) => name !== ''))
  const given = allowed.filter((scope) => wanted.has(scope))
  if (wanted.size === 0 || given.length < wanted.size) {
    throw refusal(asked, 'invalid_request', 'oauth_invalid_scope')
  }
  return given
}

function refusal({ isOauth }: Asked, own: ErrorCode, oauth: ErrorCode): ContractError {
  if (isOauth) return new ContractError(oauth)
  const sentence =
    own === 'invalid_request' ? 'scope must be of the scopes that the client has' : undefined
  return new ContractError(own, sentence)
}
