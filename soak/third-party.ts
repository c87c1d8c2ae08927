import * as openid from 'openid-client'
import { cdsUrl, issuer, redirectUri } from '../test/consent/addresses.ts'
import { registerWithCommand } from '../test/consent/register.ts'
import { fetchFrom, type Started, type TokenSet } from '../test/consent/third-party.ts'
import type { Scope } from '../test/support/engines.ts'
import type { ReceivedAnswers } from './answer-records.ts'
import type { PlatformPair } from './platform-pair.ts'
import { requireAvailable, untilAnswered } from './retry.ts'

/** A third party with a real OpenID client, which continues at the other platform if one does not respond. */
export interface ThirdParty {
  /** Pushes an authorization request. */
  start(): Promise<Started>
  /** Returns the error code of an OAuth error instead of tokens. */
  exchange(callback: URL, started: Started): Promise<Outcome>
  refresh(refreshToken: string, port?: number): Promise<Outcome>
  /** Revokes a refresh token, which withdraws the consent. */
  revoke(refreshToken: string): Promise<void>
  /** Reads data, at any platform or at a particular one. */
  read(accessToken: string, path: string, version: string, port?: number): Promise<DataAnswer>
}

export interface Outcome {
  readonly tokens?: TokenSet
  readonly error?: string
  /** After several attempts, an earlier one may have been executed. */
  readonly attempts: number
}

export interface DataAnswer {
  readonly status: number
  readonly body: ReturnType<JSON['parse']>
}

const scope = 'openid bank:accounts.basic:read'
const sharingSeconds = 86_400

export async function registerThirdParty(
  run: Scope,
  database: string,
  pair: PlatformPair,
  answers: ReceivedAnswers,
): Promise<ThirdParty> {
  const { id, auth } = await registerWithCommand(run, database)
  const keys = await openid.randomDPoPKeyPair('ES256')
  const clients = new Map<number, Client>()
  for (const port of pair.ports) clients.set(port, await openClient(id, auth, keys, port))
  const ask = <Answer>(
    name: string,
    send: (client: Client, attempts: number) => Promise<Answer>,
    port?: number,
  ): Promise<Answer> =>
    untilAnswered(name, (attempts) => {
      const client = clients.get(port ?? pair.pickPort())
      if (!client) throw new Error(`no platform on ${port}`)
      return send(client, attempts)
    })

  return {
    async start() {
      const verifier = openid.randomPKCECodeVerifier()
      const [state, nonce] = [openid.randomState(), openid.randomNonce()]
      const parameters = {
        response_type: 'code',
        redirect_uri: redirectUri,
        scope,
        sharing_duration: String(sharingSeconds),
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      }
      const url = await ask('PAR', ({ config, dpop }) =>
        openid.buildAuthorizationUrlWithPAR(config, parameters, { DPoP: dpop }),
      )
      return { url, verifier, state, nonce }
    },
    exchange: (callback, { verifier, state, nonce }) =>
      ask('the exchange of a code', ({ config, dpop }, attempts) => {
        const checks = {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        }
        const options = { DPoP: dpop }
        return toOutcome(
          openid.authorizationCodeGrant(config, callback, checks, undefined, options),
          attempts,
        )
      }),
    refresh: (refreshToken, port) =>
      ask(
        'a refresh',
        ({ config, dpop }, attempts) =>
          toOutcome(
            openid.refreshTokenGrant(config, refreshToken, undefined, { DPoP: dpop }),
            attempts,
          ),
        port,
      ),
    revoke: (refreshToken) =>
      ask('a revocation', ({ config }) => openid.tokenRevocation(config, refreshToken)),
    read: (accessToken, path, version, port) =>
      ask(
        path,
        async ({ config, dpop }) => {
          answers.begin()
          const headers = new Headers({ 'x-v': version })
          const response = await openid
            .fetchProtectedResource(config, accessToken, cdsUrl(path), 'GET', null, headers, {
              DPoP: dpop,
            })
            .catch((error: unknown) => {
              // The library throws for every response with a challenge.
              if (error instanceof openid.WWWAuthenticateChallengeError) return error.response
              throw error
            })
          const body = await response.json()
          answers.end(response.status, String(response.headers.get('x-fapi-interaction-id')))
          return { status: response.status, body }
        },
        port,
      ),
  }
}

interface Client {
  readonly config: openid.Configuration
  readonly dpop: openid.DPoPHandle
}

/** The same third party, as a client of one platform. */
async function openClient(
  id: string,
  auth: openid.ClientAuth,
  keys: openid.CryptoKeyPair,
  port: number,
): Promise<Client> {
  const fetchHere = fetchFrom(port)
  const customFetch: openid.CustomFetch = async (url, options) => {
    const response = await fetchHere(url, options)
    // Every request must be made again with a new assertion and proof, so the library must not see this response.
    requireAvailable(response.status)
    return response
  }
  const config = await openid.discovery(new URL(issuer), id, undefined, auth, {
    [openid.customFetch]: customFetch,
  })
  return { config, dpop: openid.getDPoPHandle(config, keys) }
}

async function toOutcome(tokens: Promise<TokenSet>, attempts: number): Promise<Outcome> {
  try {
    return { tokens: await tokens, attempts }
  } catch (error) {
    if (error instanceof openid.ResponseBodyError) return { error: error.error, attempts }
    throw error
  }
}
