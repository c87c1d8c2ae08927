import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { it } from 'node:test'
import { connect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { makeAuthority } from '../support/certificates.ts'
import { describe, newDatabase, type Scope, shareOnEachEngine } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findFreePort } from '../support/free-port.ts'
import { type Sent, send } from '../support/http.ts'
import { loadInProcess } from '../support/load.ts'
import { runInProcess, start, startServer } from '../support/process.ts'
import { until } from '../support/until.ts'
import { openBrowser } from './browser.ts'
import { openPasscodeService } from './passcode-service.ts'
import { consentLines } from './platform.ts'
import { registerWithCommand } from './register.ts'

const guide = readFileSync(new URL('../../docs/guides/consent.md', import.meta.url), 'utf8')
const program = fileURLToPath(new URL('third-party-program.ts', import.meta.url))
const ours = makeAuthority('Bank')
const thirdParties = makeAuthority('Third parties')

/** The arguments of the commands that the guide shows for mutual TLS. */
function readCommands(replacements: Readonly<Record<string, string>>): string[][] {
  const [, block = ''] =
    /```console\n(npx holdfast serve platform[^`]*tls-client-ca.*?)```/s.exec(guide) ?? []
  const names = Object.keys(replacements)
  return block
    .replaceAll('\\\n', ' ')
    .trimEnd()
    .split('\n')
    .map((command) =>
      (command.match(/'[^']*'|\S+/g) ?? []).slice(2).map((argument) => {
        const plain = argument.replaceAll("'", '')
        const name = names.find((each) => plain.startsWith(each))
        return name === undefined ? plain : plain.replace(name, replacements[name] ?? '')
      }),
    )
}

/** The set-up of the guide: a platform and a provider, each a process of its own. */
const open = shareOnEachEngine(async (scope: Scope) => {
  const database = await newDatabase(scope)
  await loadInProcess(database, consentLines.slice(0, 8))
  await runInProcess(['keys', 'add', '--database', database])
  const folder = await temporaryFolder(scope)
  const { cert, key } = ours.issue('platform')
  for (const [name, text] of Object.entries({
    'cert.pem': cert,
    'key.pem': key,
    'third-parties.pem': thirdParties.cert,
    'bank.pem': ours.cert,
  })) {
    writeFileSync(join(folder, name), text)
  }
  const [providerPort, platformPort] = [await findFreePort(), await findFreePort()]
  const issuer = `https://localhost:${platformPort}`
  const service = await openPasscodeService(scope)
  const [platform = [], provider = []] = readCommands({
    'sqlite:platform.db': database,
    'sqlite:bank.db': database,
    'https://consent.bank.example': issuer,
    'https://bank.example': `http://127.0.0.1:${providerPort}`,
    'https://sms.bank.example/passcodes': service.url,
  })
  // The certificate of the platform is of no public authority.
  const options = { cwd: folder, environment: { NODE_EXTRA_CA_CERTS: join(folder, 'bank.pem') } }
  await startServer(scope, platform, { port: String(platformPort) }, options)
  await startServer(scope, provider, { port: String(providerPort) }, options)
  return { database, issuer, platformPort, service }
})

describe('the set-up of the guide with mutual TLS', () => {
  it('shares data with a third party that is a program of its own', async (t) => {
    const { database, issuer, platformPort, service } = await open()
    const { id, privateJwk } = await registerWithCommand(t, database)
    const tls = { ca: ours.cert, ...thirdParties.issue('Example Budget') }
    const input = JSON.stringify({ issuer, id, privateJwk, tls })
    const thirdParty = start(t, [process.execPath, program, input])
    const lines = createInterface(thirdParty.stdout)[Symbol.asyncIterator]()
    const { value: url = '' } = await lines.next()
    // The browser has no certificate.
    const browser = openBrowser(issuer, platformPort)
    browser.connect({ ca: ours.cert })

    await browser.open(url)
    await browser.submit('identify', { email: 'ana@example.com' })
    assert.equal(browser.page.status, 200, browser.page.text)
    await until(() => service.posted.length > 0)
    await browser.submit('passcode', { passcode: service.posted[0]?.body.passcode ?? '' })
    await browser.submit('accounts', { account: ['a1'] })
    const callback = (await browser.submit('confirm')) ?? assert.fail(browser.page.text)
    const ended = once(thirdParty, 'close')
    thirdParty.stdin.end(callback.href)
    const { value: read = '{}' } = await lines.next()
    await ended

    const { type, email, accounts } = JSON.parse(read)
    assert.deepEqual([type, email], ['bearer', 'ana@example.com'])
    assert.deepEqual(
      accounts.data.accounts.map(({ displayName }: Record<string, string>) => displayName),
      ['Everyday'],
    )
  })

  it('sends Strict-Transport-Security with every page, endpoint, error and asset', async () => {
    const { issuer, platformPort } = await open()
    const browser = openBrowser(issuer, platformPort)
    browser.connect({ ca: ours.cert })
    await browser.open(`${issuer}/consents`)
    const assets = browser.page.text.match(/(?<=(?:href|src)=")\/consent\/assets\/[^"]+/g) ?? []
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const requests: (readonly [string, Sent?])[] = [
      ['/.well-known/openid-configuration'],
      ['/oidc/jwks'],
      ['/oidc/authorize?client_id=unknown'],
      ['/oidc/authorize/unknown'],
      ...['par', 'token', 'revoke', 'introspect'].map(
        (name) => [`/oidc/${name}`, { method: 'POST', headers: form, body: 'a=b' }] as const,
      ),
      ['/oidc/userinfo'],
      ['/arrangements/revoke', { method: 'POST', headers: form, body: 'a=b' }],
      ['/consent/unknown'],
      ['/consents'],
      ['/consents/unknown'],
      ['/consents', { method: 'POST', headers: form, body: 'action=identify' }],
      ['/cds-au/v1/banking/accounts'],
      ['/cds-au/v1/banking/products', { headers: { 'x-v': '4' } }],
      ['/cds-au/v1/discovery/status', { headers: { 'x-v': '1' } }],
      ['/console'],
      ['/openapi/platform.json'],
      ['/v1/consents'],
      ['/v1/metrics/stream'],
      ['/livez'],
      ['/unknown'],
      ['/%'],
      ...assets.map((path) => [path] as const),
    ]

    assert.ok(assets.length > 1)
    for (const [path, sent = {}] of requests) {
      const agent = new Agent({ ca: ours.cert, keepAlive: false })
      const { headers } = await send(`https://localhost:${platformPort}`, path, { agent, ...sent })
      assert.equal(headers['strict-transport-security'], 'max-age=31536000', path)
    }
  })

  it('serves public data without a certificate, and API clients with one, in every session', async () => {
    const { database, platformPort } = await open()
    const ask = (path: string, options: object = {}, sent: Sent = {}) => {
      const agent = new Agent({ ca: ours.cert, keepAlive: false, ...options })
      return send(`https://localhost:${platformPort}`, path, { agent, ...sent })
    }
    const own = thirdParties.issue('core')
    const { stdout } = await runInProcess([
      'client',
      'add',
      'core',
      '--scope',
      'consent.read',
      '--database',
      database,
    ])
    const [clientId, clientSecret] = ['client_id', 'client_secret'].map(
      (name) => new RegExp(`${name}: (\\S+)`).exec(stdout)?.[1],
    )
    const body = { client_id: clientId, client_secret: clientSecret }
    const issue = (options: object) => ask('/v1/token', options, { method: 'POST', body })
    const { token } = (await issue(own)).body
    const list = (options: object) =>
      ask('/v1/consents', options, { headers: { authorization: `Bearer ${token}` } })
    // As an attacker: a session without a certificate, which later connections resume.
    const socket = connect({ port: platformPort, host: 'localhost', ca: ours.cert })
    const [session] = await once(socket, 'session')
    socket.destroy()

    for (const path of ['/.well-known/jwks.json', '/v1/data-provider/cdr/products']) {
      assert.equal((await ask(path)).status, 200, path)
    }
    assert.equal((await list(own)).status, 200)
    for (const options of [{}, { session }, ours.issue('of another authority')]) {
      assert.equal((await list(options)).status, 401)
      assert.equal((await issue(options)).status, 401)
    }
  })
})
