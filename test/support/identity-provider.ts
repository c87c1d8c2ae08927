import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { Provider } from 'oidc-provider'
import { nodeHttp } from '../../src/http/node-http.ts'
import type { Scope } from './engines.ts'

/** A person at the identity provider. */
export interface TestPerson {
  readonly sub: string
  readonly name?: string
  readonly groups?: unknown
}

type Json = Record<string, unknown>

/** A real OpenID provider on this machine, at which one person signs in without being asked. */
export interface TestIdentityProvider {
  readonly issuer: string
  readonly port: number
  readonly clientId: string
  readonly clientSecret: string
  /** Who signs in from now on. Undefined: each sign-in is cancelled. */
  person: TestPerson | undefined
  /** Changes the claims of the ID tokens that are issued from now on. They are signed again. */
  changeIdToken: ((claims: Json) => Json) | undefined
  changeUserInfo: ((claims: Json) => Json) | undefined
  changeMetadata: ((metadata: Json) => Json) | undefined
  /** Whether requests are not answered. */
  isSilent: boolean
  /** The paths of all requests so far. */
  readonly requests: readonly string[]
  /** Signs claims as the provider does, or with a key that it does not publish. It may be replaced. */
  sign: (claims: Json, isOwnKey?: boolean) => Promise<string>
  stop(): Promise<void>
  restart(): Promise<void>
}

interface TestProviderOptions {
  /** The scheme, host and port of the platform. */
  readonly platform: string
  /** Whether the ID token has the claims, which are in UserInfo alone by default. */
  readonly hasIdTokenClaims?: boolean
  readonly authMethod?: 'client_secret_basic' | 'client_secret_post'
}

const clientId = 'holdfast'
const clientSecret = 'secret with a : and a %'

export async function openIdentityProvider(
  scope: Scope,
  { platform, hasIdTokenClaims = false, authMethod = 'client_secret_basic' }: TestProviderOptions,
): Promise<TestIdentityProvider> {
  const requests: string[] = []
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {}
  const server = nodeHttp.createServer((request, response) => {
    requests.push((request.url ?? '').replace(/\?.*/, ''))
    handle(request, response)
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const stop = async () => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  await listen(0)
  scope.after(stop)
  const { port } = server.address() as AddressInfo
  const issuer = `http://127.0.0.1:${port}`
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const { privateKey: foreignKey } = await generateKeyPair('ES256', { extractable: true })
  const key = { ...(await exportJWK(privateKey)), kid: 'key', alg: 'ES256', use: 'sig' }

  const opened: TestIdentityProvider = {
    issuer,
    port,
    clientId,
    clientSecret,
    person: { sub: 'ana', name: 'Ana Example', groups: ['pricing'] },
    changeIdToken: undefined,
    changeUserInfo: undefined,
    changeMetadata: undefined,
    isSilent: false,
    requests,
    sign: (claims, isOwnKey = true) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', kid: 'key' })
        .sign(isOwnKey ? privateKey : foreignKey),
    stop,
    restart: () => listen(port),
  }
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${platform}/v1/session/callback`],
        post_logout_redirect_uris: [`${platform}/console`],
        token_endpoint_auth_method: authMethod,
        id_token_signed_response_alg: 'ES256',
      },
    ],
    clientAuthMethods: [authMethod],
    jwks: { keys: [key] },
    claims: { openid: ['sub'], profile: ['name', 'groups'] },
    conformIdTokenClaims: !hasIdTokenClaims,
    cookies: { keys: ['a key of the cookies'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: async () => ({ ...opened.person, sub }),
    }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      })
      grant.addOIDCScope('openid profile')
      await grant.save()
      return grant
    },
  })
  provider.use(async (ctx, next) => {
    await next()
    const body = ctx.body as Json
    if (ctx.path === '/token' && opened.changeIdToken && typeof body['id_token'] === 'string') {
      const [, claims = ''] = body['id_token'].split('.')
      const changed = opened.changeIdToken(JSON.parse(Buffer.from(claims, 'base64url').toString()))
      ctx.body = { ...body, id_token: await opened.sign(changed) }
    }
    if (ctx.path === '/me' && opened.changeUserInfo) ctx.body = opened.changeUserInfo(body)
    if (ctx.path.startsWith('/.well-known/') && opened.changeMetadata)
      ctx.body = opened.changeMetadata(body)
  })
  const callback = provider.callback()
  const finish = async (request: IncomingMessage, response: ServerResponse) => {
    const result = opened.person
      ? { login: { accountId: opened.person.sub } }
      : { error: 'access_denied' }
    await provider.interactionFinished(request, response, result)
  }
  handle = (request, response) => {
    if (opened.isSilent) return
    if (request.url?.startsWith('/interaction/')) void finish(request, response)
    else callback(request, response)
  }
  return opened
}
