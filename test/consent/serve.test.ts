import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { it } from 'node:test'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import * as openid from 'openid-client'
import { toPublicKeySet } from '../../src/auth/signing.ts'
import { nodeHttp } from '../../src/http/node-http.ts'
import { buildThirdPartyDocument } from '../../src/platform/third-party-api/document.ts'
import { version } from '../../src/server/version.ts'
import { openSigningKeyStore } from '../../src/storage/open.ts'
import { makeAuthority } from '../support/certificates.ts'
import { describe, describeOnce, newDatabase, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findFreePort } from '../support/free-port.ts'
import { loadInProcess } from '../support/load.ts'
import { openLocalServer } from '../support/local-server.ts'
import { runInProcess } from '../support/process.ts'
import { until } from '../support/until.ts'
import { openBrowser } from './browser.ts'
import { fetchWithCertificate } from './fetch-with-certificate.ts'
import { openPasscodeService } from './passcode-service.ts'
import { consentLines, redirectUri } from './platform.ts'
import { openRecipient } from './recipient.ts'
import { registerWithCommand } from './register.ts'
import { fetchFrom } from './third-party.ts'

/** A provider that verifies tokens, and what a platform needs to ask it. */
async function openDeployment(scope: Scope) {
  const database = await newDatabase(scope)
  await loadInProcess(database, consentLines.slice(0, 8))
  await runInProcess(['keys', 'add', '--database', database])
  const [providerPort, platformPort] = [await findFreePort(), await findFreePort()]
  const shared = { database, subdomain: 'bank', 'provider-url': `http://127.0.0.1:${providerPort}` }
  const service = await openPasscodeService(scope)
  return {
    database,
    service,
    platformPort,
    flags: { ...shared, 'passcode-url': service.url, port: String(platformPort) },
    openProvider: () =>
      openLocalServer(scope, 'provider', {
        ...shared,
        port: String(providerPort),
        'jwks-url': `http://127.0.0.1:${platformPort}/.well-known/jwks.json`,
      }),
  }
}

async function start(config: openid.Configuration, dpop?: openid.DPoPHandle) {
  const verifier = openid.randomPKCECodeVerifier()
  const url = await openid.buildAuthorizationUrlWithPAR(
    config,
    {
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid email bank:accounts.basic:read',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      sharing_duration: '86400',
    },
    dpop && { DPoP: dpop },
  )
  return { url, verifier }
}

describe('holdfast serve platform with an issuer', () => {
  it('asks a provider that verifies tokens, posts passcodes and receipts with a token, and informs third parties', async (t) => {
    const { database, service, flags, platformPort, openProvider } = await openDeployment(t)
    const issuer = `http://127.0.0.1:${platformPort}/bank`
    const platform = await openLocalServer(t, 'platform', {
      ...flags,
      issuer,
      'brand-name': 'Bank',
      'time-zone': 'Australia/Sydney',
      'customer-receipts': 'true',
      'metrics-port': '0',
    })
    await openProvider()
    const recipient = await openRecipient(t)
    const address = ['--recipient-base-uri', recipient.baseUri]
    const { id, auth } = await registerWithCommand(t, database, ...address)
    const insecure = { execute: [openid.allowInsecureRequests] }
    const config = await openid.discovery(new URL(issuer), id, undefined, auth, insecure)
    const dpop = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256'))
    const { url, verifier } = await start(config, dpop)
    const browser = openBrowser(issuer, platform.port)

    await browser.open(url)
    assert.match(browser.page.url.pathname, /^\/bank\/consent\//)
    assert.match(browser.page.text, /Until <time [^>]*>[^<]* \(Australia\/Sydney\)</)
    await browser.submit('identify', { email: 'ana@example.com' })
    await until(() => service.posted.length > 0)
    const [{ authorization = '', body } = {}] = service.posted
    await browser.submit('passcode', { passcode: body?.passcode ?? '' })
    await browser.submit('accounts', { account: ['a1'] })
    const callback = await browser.submit('confirm')
    const checks = { pkceCodeVerifier: verifier, idTokenExpected: true }
    const tokens = await openid.authorizationCodeGrant(config, callback ?? url, checks, undefined, {
      DPoP: dpop,
    })

    const subject = tokens.claims()?.sub ?? ''
    const userinfo = await openid.fetchUserInfo(config, tokens.access_token, subject, {
      DPoP: dpop,
    })
    assert.equal(userinfo.email, 'ana@example.com')
    assert.deepEqual([body?.phoneNumber, body?.purpose], ['+61400000006', 'consent'])
    const store = await openSigningKeyStore(database)
    const keys = createLocalJWKSet(toPublicKeySet(await store.list()))
    await store.close()
    const resource = service.url.replace(/\?.*/, '')
    const { payload } = await jwtVerify(authorization.replace('Bearer ', ''), keys, {
      issuer: 'bank',
      audience: resource,
    })
    assert.equal(payload.sub, 'bank')
    const metadata = `http://127.0.0.1:${platform.port}/.well-known/oauth-authorization-server/bank`
    const served = (await (await fetch(metadata)).json()) as { readonly issuer: string }
    assert.equal(served.issuer, issuer)
    const described = await fetch(`http://127.0.0.1:${platform.port}/openapi/third-party.json`)
    assert.deepEqual(await described.json(), buildThirdPartyDocument(version, issuer))
    // The second use of a code ends the consent.
    await assert.rejects(
      openid.authorizationCodeGrant(config, callback ?? url, checks, undefined, { DPoP: dpop }),
    )
    await until(() => recipient.requests.length > 0)
    const [informed] = recipient.requests
    const sent = informed?.authorization.replace('Bearer ', '') ?? ''
    const published = await fetch(config.serverMetadata().jwks_uri ?? '')
    await jwtVerify(sent, createLocalJWKSet((await published.json()) as JSONWebKeySet), {
      issuer,
      subject: issuer,
      audience: `${recipient.baseUri}/arrangements/revoke`,
    })
    assert.equal(informed?.form.get('cdr_arrangement_id'), tokens['cdr_arrangement_id'])
    const events = () => service.posted.flatMap(({ body: { event } }) => event ?? [])
    await until(() => events().length === 2)
    assert.deepEqual(events(), ['given', 'ended'])
    const metrics = ['deliveries_total{result="delivered"} 3', 'messages 0', 'oldest_seconds 0']
    await until(async () => {
      const lines = (await (await fetch(platform.metrics)).text()).split('\n')
      return metrics.every((metric) => lines.includes(`holdfast_outbox_${metric}`))
    })
    const output = platform.output()
    for (const text of ['ana@', body?.passcode ?? '', '+614', tokens.access_token, sent]) {
      assert.ok(!output.includes(text), text)
    }
  })
})

describeOnce('holdfast serve platform with TLS and an issuer', () => {
  it('binds tokens to the certificate of the third party', async (t) => {
    const { database, service, flags, platformPort } = await openDeployment(t)
    const [server, clients, others] = ['Server', 'Clients', 'Others'].map(makeAuthority)
    assert.ok(server && clients && others)
    const folder = await temporaryFolder(t)
    const write = (name: string, text: string) => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    const certificate = server.issue('platform')
    const issuer = `https://localhost:${platformPort}`
    await openLocalServer(t, 'platform', {
      ...flags,
      issuer,
      'tls-cert': write('cert.pem', certificate.cert),
      'tls-key': write('key.pem', certificate.key),
      'tls-client-ca': write('ca.pem', clients.cert),
    })
    const jwks = await openKeyRelay(t, `${issuer}/.well-known/jwks.json`, {
      ca: server.cert,
    })
    await openLocalServer(t, 'provider', {
      database,
      subdomain: 'bank',
      'provider-url': flags['provider-url'],
      port: new URL(flags['provider-url']).port,
      'jwks-url': jwks,
    })
    const { id, auth } = await registerWithCommand(t, database)
    const connect = async (options: object) => {
      const customFetch = fetchWithCertificate({ ca: server.cert, ...options })
      return openid.discovery(new URL(issuer), id, undefined, auth, {
        [openid.customFetch]: customFetch,
      })
    }
    const own = clients.issue('third party')
    const config = await connect(own)
    const { url, verifier } = await start(config)
    // The browser has no certificate.
    const browser = openBrowser(issuer, Number(new URL(issuer).port))
    browser.connect({ ca: server.cert })
    await browser.open(url)
    await browser.submit('identify', { email: 'ana@example.com' })
    await until(() => service.posted.length > 0)
    await browser.submit('passcode', { passcode: service.posted[0]?.body.passcode ?? '' })
    await browser.submit('accounts', { account: ['a1'] })
    const callback = (await browser.submit('confirm')) ?? url
    const exchange = (from: openid.Configuration) =>
      openid.authorizationCodeGrant(from, callback, {
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })

    // Without a certificate, and with one of another authority.
    await assert.rejects(exchange(await connect({})), { error: 'invalid_grant' })
    await assert.rejects(exchange(await connect(others.issue('x'))), { error: 'invalid_grant' })
    const tokens = await exchange(config)
    const subject = tokens.claims()?.sub ?? ''

    assert.equal(tokens.token_type, 'bearer')
    const userinfo = await openid.fetchUserInfo(config, tokens.access_token, subject)
    assert.equal(userinfo.email, 'ana@example.com')
    const stolen = await connect(clients.issue('thief'))
    await assert.rejects(openid.fetchUserInfo(stolen, tokens.access_token, subject))
    const readAccounts = async (from: openid.Configuration) =>
      openid.fetchProtectedResource(
        from,
        tokens.access_token,
        new URL(`${issuer}/cds-au/v1/banking/accounts`),
        'GET',
        undefined,
        new Headers({ 'x-v': '3' }),
      )
    assert.equal((await readAccounts(config)).status, 200)
    await assert.rejects(readAccounts(stolen), openid.WWWAuthenticateChallengeError)
  })
})

/** A provider in another network reads the keys of the platform through a proxy. */
async function openKeyRelay(scope: Scope, url: string, options: object): Promise<string> {
  const get = fetchWithCertificate(options)
  const server = nodeHttp.createServer(async (_request, response) => {
    const answer = await get(url, {
      method: 'GET',
      headers: {},
      body: undefined,
      redirect: 'manual',
    })
    response.setHeader('content-type', 'application/json').end(await answer.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  scope.after(async () => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as { readonly port: number }).port}/`
}

describeOnce('holdfast serve platform without an issuer', () => {
  it('loads neither the OpenID provider nor the pages', () => {
    const root = resolve(import.meta.dirname, '../../src')
    const seen = new Set<string>()
    const visit = (file: string): void => {
      if (seen.has(file)) return
      seen.add(file)
      const text = readFileSync(file, 'utf8')
      for (const [, target = ''] of text.matchAll(
        /^(?:import|export) (?!type )[^;]*?from '([^']+)'/gms,
      )) {
        if (target.startsWith('.')) visit(resolve(dirname(file), target))
        else seen.add(target)
      }
    }

    for (const file of ['server/open-platform.ts', 'http/platform-app.ts', 'cli/serve/serve.ts']) {
      visit(join(root, file))
    }

    assert.ok(seen.has('fastify'))
    assert.ok(!seen.has('oidc-provider'))
    assert.deepEqual(
      [...seen].filter((file) => file.includes('/src/platform/consent/')).sort(),
      [
        'consent-history.ts',
        'correction-notices.ts',
        'format-flow.ts',
        'handlers.ts',
        'outbox/format-messages.ts',
        'third-party-names.ts',
      ].map((file) => join(root, 'platform/consent', file)),
    )
  })

  it('has none of its routes', async (t) => {
    const database = await newDatabase(t)
    const { port } = await openLocalServer(t, 'platform', { database })

    const answer = await fetchFrom(port)('https://x/.well-known/openid-configuration', {
      method: 'GET',
      headers: {},
      body: undefined,
      redirect: 'manual',
    })

    assert.equal(answer.status, 404)
  })
})
