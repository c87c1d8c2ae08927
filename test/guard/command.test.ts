import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { it } from 'node:test'
import { makeAuthority } from '../support/certificates.ts'
import { openDeployment } from '../support/deployment.ts'
import { describe, describeOnce, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { openGuardServer } from '../support/guard-server.ts'
import { runInProcess, toArguments } from '../support/process.ts'
import { accountsPath, balancesPath } from '../support/small-bank.ts'
import { publicUrl, subdomain } from '../support/tokens.ts'
import { accountsPage, openUpstream } from '../support/upstream.ts'

describe('a guard with --upstream-operations', () => {
  it('forwards those, and serves the others from its database', async (t) => {
    const upstream = await openUpstream(t)
    const guard = await openGuardServer(t, upstream.address, { 'upstream-operations': 'B1,C3' })

    const accounts = await guard.ask(accountsPath)
    const balances = await guard.ask(balancesPath, {
      method: 'POST',
      body: { data: { accountIds: ['a1'] } },
    })

    assert.equal(accounts.text, accountsPage)
    assert.equal(balances.body.data.balances[0].currentBalance, '10.00')
    assert.deepEqual(
      upstream.requests.map(({ url }) => url),
      [accountsPath],
    )
  })
})

const required = {
  subdomain,
  'provider-url': publicUrl,
  'jwks-url': 'https://platform.example/jwks.json',
  upstream: 'https://core.example',
}

describeOnce('holdfast serve guard', () => {
  it('requires an upstream', async () => {
    const { upstream: _, ...others } = required

    const { status, stderr } = await runInProcess(['serve', 'guard', ...toArguments(others)])

    assert.equal(status, 2)
    assert.match(stderr, /HOLDFAST_UPSTREAM \(--upstream\) is required: the base URL/)
  })

  for (const [flag, value, message] of [
    ['upstream', 'ftp://core.example', /--upstream must be an http or https URL/],
    ['upstream', 'https://user:secret@core.example', /--upstream must be .* without credentials/],
    ['upstream-operations', 'B2,,B3', /--upstream-operations must be references of operations/],
    ['upstream-operations', 'B2,B99', /B99 is not an operation of a provider; these are B1, B2,/],
    ['upstream-timeout-ms', '0', /--upstream-timeout-ms must be a whole number from 1 to 120000/],
    ['validate', 'strict', /--validate must be one of off, report, enforce/],
    ['validate-sample', '0', /--validate-sample must be a whole number from 1/],
    ['upstream-key', 'key.pem', /HOLDFAST_UPSTREAM_CERT .* is required with HOLDFAST_UPSTREAM_KEY/],
  ] as const) {
    it(`rejects --${flag} ${value}`, async () => {
      const args = toArguments({ ...required, [flag]: value })

      const { status, stderr } = await runInProcess(['serve', 'guard', ...args])

      assert.equal(status, 2)
      assert.match(stderr, message)
      assert.doesNotMatch(stderr, /secret/)
    })
  }

  for (const [name, content, message] of [
    ['no field', 'secret', /must contain one header field, such as x-api-key: SECRET/],
    ['two fields', 'x-a: secret\nx-b: secret', /must contain one header field/],
    ['a value that is not ASCII', 'x-a: secreté', /must contain one header field/],
    ['a field of the guard', 'Content-Length: 3', /must not set Content-Length/],
    ['a hop-by-hop field', 'connection: close', /must not set connection/],
  ] as const) {
    it(`rejects a header file with ${name}, without its content in the message`, async (t) => {
      const file = join(await temporaryFolder(t), 'header.txt')
      writeFileSync(file, content)

      await assert.rejects(
        openGuardServer(t, 'http://127.0.0.1:9', { 'upstream-header-file': file }),
        (error: Error) => message.test(error.message) && !error.message.includes('secreté'),
      )
    })
  }

  it('names a header file that it cannot read', async (t) => {
    await assert.rejects(
      openGuardServer(t, 'http://127.0.0.1:9', { 'upstream-header-file': 'missing.txt' }),
      /--upstream-header-file: cannot read missing\.txt \(ENOENT\)/,
    )
  })

  it('has an example in its help, and only its own settings', async () => {
    const { stdout } = await runInProcess(['serve', 'guard', '--help'])

    assert.match(stdout, /Example: holdfast serve guard --create --upstream https:/)
    assert.match(stdout, /--validate-sample <number>/)
    assert.doesNotMatch(stdout, /--issuer/)
  })

  it('prints its settings', async () => {
    const { stdout } = await runInProcess(['settings', 'guard', ...toArguments(required)])

    assert.match(stdout, /HOLDFAST_UPSTREAM +https:\/\/core\.example +flag/)
    assert.match(stdout, /HOLDFAST_VALIDATE +report +default/)
  })

  it('prints its address once it is ready', async (t) => {
    const upstream = await openUpstream(t)
    const deployment = await openDeployment(t)

    const server = await deployment.startGuard({ upstream: upstream.address, workers: '2' })

    assert.match(server.stdout(), /^guard ready on http:/m)
    assert.equal((await deployment.ask(server, accountsPath)).status, 200)
    assert.equal(await server.stop(), 0)
  })
})

const authority = makeAuthority('core')

async function openSecureUpstream(scope: Scope, names?: readonly string[]): Promise<string> {
  const server = createServer(
    {
      ...authority.issue('upstream', { names }),
      ca: authority.cert,
      requestCert: true,
      rejectUnauthorized: false,
    },
    ({ socket }, response) =>
      response
        .writeHead(200, {
          'content-type': 'application/json',
          'x-client': String('authorized' in socket && socket.authorized),
        })
        .end(accountsPage),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  scope.after(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function writeFiles(scope: Scope, files: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder(scope)
  const paths = Object.entries(files).map(([name, content]) => {
    writeFileSync(join(folder, name), content)
    return [name, join(folder, name)]
  })
  return Object.fromEntries(paths) as Record<string, string>
}

describeOnce('an upstream with TLS', () => {
  it('is verified against a private CA, and sees the client certificate', async (t) => {
    const { cert, key } = authority.issue('guard')
    const flags = await writeFiles(t, {
      'upstream-ca': authority.cert,
      'upstream-cert': cert,
      'upstream-key': key,
    })
    const guard = await openGuardServer(t, await openSecureUpstream(t), flags)

    const { status, headers } = await guard.ask(accountsPath)

    assert.deepEqual([status, headers['x-client']], [200, 'true'])
  })

  for (const [name, ca, names] of [
    ['of an unknown CA', undefined, undefined],
    ['for another host', authority.cert, ['other.example']],
  ] as const) {
    it(`gets the client a 502 if its certificate is ${name}`, async (t) => {
      const flags = ca === undefined ? {} : await writeFiles(t, { 'upstream-ca': ca })
      const guard = await openGuardServer(t, await openSecureUpstream(t, names), flags)

      const { status, text } = await guard.ask(accountsPath)

      assert.deepEqual([status, text], [502, '{"error":"Bad gateway"}'])
      const [line] = guard.log().filter(({ operation }) => operation === 'B1')
      assert.equal(line?.['reason'], 'upstream: TLS handshake failed')
    })
  }

  it('is not used with a file that has no certificate', async (t) => {
    const flags = await writeFiles(t, { 'upstream-ca': 'nothing' })

    await assert.rejects(
      openGuardServer(t, 'https://127.0.0.1:9', flags),
      /--upstream-ca: .* contains no valid certificate/,
    )
  })
})
