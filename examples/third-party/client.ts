import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import * as openid from 'openid-client'

const usage = `Usage: node client.ts COMMAND

  keys      makes keys.json, which stays with you, and jwks.json, which you register with the platform
  connect   asks a customer for consent in a browser, and stores it in consent.json
  read      prints the accounts that the customer shares, with their newest transactions
  revoke    ends the consent

ISSUER and CLIENT_ID are the addresses of the platform and the ID that it gave you.
REDIRECT_URI is where customers return to (default: http://127.0.0.1:9090/callback).`

const scopes = 'openid bank:accounts.basic:read bank:transactions:read'
/** Three months. Without a duration, the data can be read once. */
const sharingSeconds = 90 * 24 * 3600
/** Of those that FAPI 2.0 allows. */
const alg = 'ES256'

const { ISSUER: issuer = '', CLIENT_ID: clientId = '' } = process.env
const redirectUri = new URL(process.env['REDIRECT_URI'] ?? 'http://127.0.0.1:9090/callback')

/** What is stored of a consent. Tokens are bound to the DPoP key: without it, they are of no use. */
interface Consent {
  readonly id: string
  readonly refreshToken: string
}

/** The two private keys: one signs for the client, the tokens are bound to the other one. */
interface Keys {
  readonly client: JWK
  readonly dpop: JWK
}

const commands: Readonly<Record<string, () => Promise<void>>> = { keys, connect, read, revoke }

async function keys(): Promise<void> {
  const [client, dpop] = await Promise.all([makeKey(), makeKey()])
  const { d: _, ...publicJwk } = client
  store('keys.json', { client, dpop } satisfies Keys)
  writeFileSync('jwks.json', JSON.stringify({ keys: [{ ...publicJwk, use: 'sig' }] }))
  console.log('made keys.json and jwks.json')
}

async function connect(): Promise<void> {
  const { config, DPoP } = await openClient()
  const verifier = openid.randomPKCECodeVerifier()
  const [state, nonce] = [openid.randomState(), openid.randomNonce()]
  const request = {
    redirect_uri: redirectUri.href,
    scope: scopes,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    sharing_duration: `${sharingSeconds}`,
    state,
    nonce,
  }
  console.log(`Open ${await openid.buildAuthorizationUrlWithPAR(config, request, { DPoP })}`)
  const callback = await receiveCallback()
  // Verifies that the response belongs to this request, and the ID token. Throws if the customer cancelled.
  const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce }
  const tokens = await openid.authorizationCodeGrant(config, callback, checks, {}, { DPoP })
  storeConsent(tokens, `${tokens['cdr_arrangement_id']}`)
  console.log('Connected. The consent is in consent.json.')
}

async function read(): Promise<void> {
  const { config, DPoP } = await openClient()
  const { id, refreshToken } = readJson<Consent>('consent.json')
  // The refresh token is valid as long as the consent: invalid_grant means that the consent has ended.
  const tokens = await openid.refreshTokenGrant(config, refreshToken, {}, { DPoP })
  storeConsent(tokens, id)
  const get = async (url: string, version: number): Promise<Answer> => {
    const headers = new Headers({ 'x-v': `${version}`, accept: 'application/json' })
    const target = new URL(url)
    const options = { DPoP }
    const response = await openid.fetchProtectedResource(
      ...([config, tokens.access_token, target, 'GET', undefined, headers, options] as const),
    )
    if (response.ok) return (await response.json()) as Answer
    const reference = response.headers.get('x-fapi-interaction-id')
    throw new Error(`${response.status} ${await response.text()} (reference ${reference})`)
  }
  const accounts = `${issuer}/cds-au/v1/banking/accounts`
  for (let next: string | undefined = accounts; next; ) {
    const page: Answer = await get(next, 3)
    for (const { accountId, displayName, maskedNumber } of page.data.accounts ?? []) {
      console.log(`${displayName}  ${maskedNumber}`)
      const { data } = await get(`${accounts}/${accountId}/transactions?page-size=3`, 1)
      for (const { postingDateTime, amount, currency, description } of data.transactions ?? []) {
        const time = postingDateTime ?? 'pending'
        console.log(`  ${time}  ${amount?.padStart(10)} ${currency}  ${description}`)
      }
    }
    next = page.links.next
  }
}

async function revoke(): Promise<void> {
  const { config } = await openClient()
  // The platform ends the whole consent, not only the token.
  await openid.tokenRevocation(config, readJson<Consent>('consent.json').refreshToken)
  rmSync('consent.json')
  console.log('The consent has ended. Delete what you no longer need of the data.')
}

/** The part of the responses that is printed. */
interface Answer {
  readonly data: {
    readonly accounts?: readonly Fields<'accountId' | 'displayName' | 'maskedNumber'>[]
    readonly transactions?: readonly Fields<
      'amount' | 'currency' | 'description' | 'postingDateTime'
    >[]
  }
  readonly links: { readonly next?: string }
}

type Fields<Name extends string> = Readonly<Partial<Record<Name, string>>>

async function openClient() {
  if (issuer === '' || clientId === '') throw new Error('set ISSUER and CLIENT_ID')
  const { client, dpop } = readJson<Keys>('keys.json')
  const { d: _, ...publicDpop } = dpop
  const [key, privateKey, publicKey] = await Promise.all(
    [client, dpop, publicDpop].map(
      async (jwk) => (await importJWK(jwk, alg, { extractable: true })) as CryptoKey,
    ),
  )
  if (!key || !privateKey || !publicKey) throw new Error('keys.json: a key is missing')
  // A platform on this machine may serve http. openid-client requires https of every other one.
  const execute = issuer.startsWith('http://127.0.0.1:') ? [openid.allowInsecureRequests] : []
  const authentication = openid.PrivateKeyJwt({ key, kid: client.kid ?? '' })
  const config = await openid.discovery(new URL(issuer), clientId, {}, authentication, { execute })
  return { config, DPoP: openid.getDPoPHandle(config, { privateKey, publicKey }) }
}

/** Resolves with the URL that the customer's browser opens at the end. */
function receiveCallback(): Promise<URL> {
  return new Promise((resolve, reject) => {
    const server = createServer(({ url = '' }, response) => {
      const callback = new URL(url, redirectUri)
      if (callback.pathname !== redirectUri.pathname) {
        response.writeHead(404).end()
        return
      }
      response.writeHead(200, { 'content-type': 'text/plain', connection: 'close' })
      response.end('You can close this page.')
      server.close()
      resolve(callback)
    })
    server.once('error', reject).listen(Number(redirectUri.port), redirectUri.hostname)
  })
}

async function makeKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true })
  return { ...(await exportJWK(privateKey)), alg, kid: crypto.randomUUID() }
}

/** A refresh may replace the refresh token. */
function storeConsent({ refresh_token: refreshToken }: openid.TokenEndpointResponse, id: string) {
  if (refreshToken === undefined) return
  store('consent.json', { id, refreshToken } satisfies Consent)
}

/** Stores secrets for this user alone. A crash leaves the file as it was before, or as it is after. */
function store(file: string, value: object): void {
  writeFileSync(`${file}.new`, JSON.stringify(value), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

function readJson<Content>(file: string): Content {
  if (!existsSync(file)) throw new Error(`${file} not found: run keys first, then connect`)
  return JSON.parse(readFileSync(file, 'utf8')) as Content
}

const [name = ''] = process.argv.slice(2)
const command = Object.hasOwn(commands, name) ? commands[name] : undefined
if (command) await command()
else {
  console.error(usage)
  process.exitCode = 2
}
