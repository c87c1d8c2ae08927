import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect as connectPlain, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { type Certified, makeAuthority } from '../support/certificates.ts'
import { type Deployment, openDeployment } from '../support/deployment.ts'
import { describeOn, newDatabase, type Scope, shareOnEachEngine } from '../support/engines.ts'
import {
  runHoldfast,
  runInProcess,
  type Server,
  startServer,
  toArguments,
} from '../support/process.ts'
import { accountsPath } from '../support/small-bank.ts'
import { until } from '../support/until.ts'
import { ask, countOccurrences, openAgent, startTraffic, untilRefused } from './traffic.ts'

const authority = makeAuthority('Bank CA')
const platforms = makeAuthority('Platform CA')
const trusted = { ca: authority.cert }
const hour = 3_600_000

/** Writes certificate files and returns the flags that name them. */
function openFiles(scope: Scope) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-tls-'))
  scope.after(async () => rmSync(folder, { recursive: true }))
  const write = (name: string, text: string): string => {
    const file = join(folder, name)
    writeFileSync(file, text)
    return file
  }
  return {
    write,
    own: ({ cert, key }: Certified) => ({
      'tls-cert': write('cert.pem', cert),
      'tls-key': write('key.pem', key),
    }),
    clientCa: (cert: string) => ({ 'tls-client-ca': write('client-ca.pem', cert) }),
  }
}

async function handshake({ port }: Server, options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', ...trusted, ...options })
  await once(socket, 'secureConnect')
  return socket
}

/** The common name in the server certificate of a new connection. */
async function certificateName(served: Server, options: ConnectionOptions = {}): Promise<string> {
  const socket = await handshake(served, options)
  const { subject } = socket.getPeerCertificate()
  socket.destroy()
  return String(subject.CN)
}

const askOnce = (served: Server, token: string, options: ConnectionOptions) =>
  ask(served, token, openAgent(served, { ...trusted, ...options, keepAlive: false }))

async function startProvider(
  scope: Scope,
  flags: Record<string, string>,
): Promise<[Deployment, Server]> {
  const deployment = await openDeployment(scope)
  return [deployment, await deployment.startProvider({ 'log-level': 'info', ...flags })]
}

describeOn('sqlite', 'a server with a certificate', () => {
  it('serves https with TLS 1.3 and 1.2 with forward secrecy, and nothing older or weaker', async (t) => {
    const [deployment, served] = await startProvider(t, openFiles(t).own(authority.issue('bank')))
    assert.match(served.address, /^https:/)
    assert.equal(await certificateName(served), 'bank')
    // The audience of the token is still the public URL.
    assert.equal((await askOnce(served, deployment.mint(accountsPath), {})).status, 200)

    const negotiate = async (options: ConnectionOptions) => {
      const socket = await handshake(served, options)
      const protocol = socket.getProtocol()
      socket.destroy()
      return protocol
    }

    assert.equal(await negotiate({}), 'TLSv1.3')
    assert.equal(await negotiate({ maxVersion: 'TLSv1.2' }), 'TLSv1.2')
    // The oldest that the OpenSSL of the client supports.
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' } as const
    await assert.rejects(negotiate(old), /alert protocol version|tlsv1 alert/)
    for (const ciphers of ['ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-CHACHA20-POLY1305']) {
      await assert.rejects(negotiate({ maxVersion: 'TLSv1.2', ciphers }), /handshake failure/)
    }
  })

  it('sends Strict-Transport-Security in every response, and in none without TLS', async (t) => {
    const [deployment, secure] = await startProvider(t, openFiles(t).own(authority.issue('bank')))
    const plain = await deployment.startProvider()
    const lines = [`GET ${accountsPath}`, 'GET /livez', 'GET /unknown', 'PUT /livez', 'GET /%', '?']
    for (const line of lines) {
      const request = `${line} HTTP/1.1\r\nhost: bank\r\nconnection: close\r\n\r\n`
      const socket = await handshake(secure, {})
      socket.write(request)
      const overTls = await text(socket)
      const open = connectPlain(plain.port, '127.0.0.1')
      open.write(request)

      assert.match(overTls, /^HTTP\/1.1 \d.*^strict-transport-security: max-age=31536000\r$/ims)
      assert.doesNotMatch(await text(open), /strict-transport-security/i)
    }
  })

  it('can be a platform, and logs that its certificate has expired', async (t) => {
    const database = await newDatabase(t)
    const expired = authority.issue('platform', { to: new Date(Date.now() - hour) })
    const flags = { database, ...openFiles(t).own(expired) }
    const served = await startServer(t, ['serve', 'platform'], flags)

    assert.match(served.address, /^https:/)
    assert.equal(await certificateName(served, { rejectUnauthorized: false }), 'platform')
    // The log is written asynchronously.
    await until(() => /certificate in use, but expired/.test(served.stderr()))
  })

  it('serves a client that completes its handshake after SIGTERM, and does not wait for one that never does', async (t) => {
    const [deployment, served] = await startProvider(t, openFiles(t).own(authority.issue('bank')))
    const [early, idle] = [1, 2].map(() => connectPlain(served.port, '127.0.0.1')) as [
      Socket,
      Socket,
    ]
    idle.on('error', () => {})
    await Promise.all([once(early, 'connect'), once(idle, 'connect')])
    assert.equal((await askOnce(served, deployment.mint(accountsPath), {})).status, 200)

    served.child.kill('SIGTERM')
    await untilRefused(served)
    const socket = connect({ socket: early, ...trusted })
    await once(socket, 'secureConnect')
    const authorization = `Authorization: Bearer ${deployment.mint(accountsPath)}`
    socket.write(`GET ${accountsPath} HTTP/1.1\r\nHost: bank.example\r\n${authorization}\r\n\r\n`)
    const answer = await text(socket)

    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/)
    assert.match(answer, /\r\nconnection: close\r\n/i)
    assert.equal(await served.ended, 0)
    idle.destroy()
  })
})

describeOn('sqlite', 'a server that requires client certificates', () => {
  /** A test that replaces the CA restores it. */
  const openShared = shareOnEachEngine(async (scope) => {
    const files = openFiles(scope)
    const flags = { ...files.own(authority.issue('bank')), ...files.clientCa(platforms.cert) }
    const [deployment, served] = await startProvider(scope, flags)
    return { files, deployment, served }
  })

  it('accepts certificates of the configured CA, and fails the handshake of all other clients', async () => {
    const { deployment, served } = await openShared()
    const token = deployment.mint(accountsPath)

    for (const [reason, certificate] of Object.entries({
      ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE: {},
      CERT_HAS_EXPIRED: platforms.issue('late', { to: new Date(Date.now() - hour) }),
      CERT_NOT_YET_VALID: platforms.issue('early', { from: new Date(Date.now() + hour) }),
      CERT_SIGNATURE_FAILURE: makeAuthority('Platform CA').issue('forged'),
      UNABLE_TO_VERIFY_LEAF_SIGNATURE: makeAuthority('Another CA').issue('foreign'),
    })) {
      const before = served.stderr().length
      await assert.rejects(askOnce(served, token, certificate), /ECONNRESET|alert|socket/i, reason)
      await until(() => served.stderr().slice(before).includes('TLS handshake failed'))
      assert.match(served.stderr().slice(before), new RegExp(`"reason":"${reason}"`))
    }

    // The token was never sent, so it is still unused.
    assert.equal((await askOnce(served, token, platforms.issue('platform'))).status, 200)
  })

  it('applies a new CA to new connections and resumed sessions on SIGHUP', async (t) => {
    const { files, deployment, served } = await openShared()
    const useAuthority = async (cert: string) => {
      const reloaded = () => countOccurrences(served.stderr(), 'certificates reloaded')
      const before = reloaded()
      files.clientCa(cert)
      served.child.kill('SIGHUP')
      await until(() => reloaded() > before)
    }
    const [old, other] = [platforms.issue('old'), makeAuthority('Other CA')]
    const socket = await handshake(served, old)
    const [session] = (await once(socket, 'session')) as [Buffer]
    socket.destroy()
    const resumed = await handshake(served, { ...old, session })
    assert.ok(resumed.isSessionReused(), 'the server supports session resumption')
    resumed.destroy()
    const again = await askOnce(served, deployment.mint(accountsPath), { ...old, session })
    assert.equal(again.status, 200)

    await useAuthority(other.cert)
    t.after(() => useAuthority(platforms.cert))

    await assert.rejects(askOnce(served, deployment.mint(accountsPath), old))
    await assert.rejects(askOnce(served, deployment.mint(accountsPath), { ...old, session }))
    const answer = await askOnce(served, deployment.mint(accountsPath), other.issue('new'))
    assert.equal(answer.status, 200)
  })
})

const workerCounts = ['1', '2']

describeOn('sqlite', 'on SIGHUP', () => {
  for (const workers of workerCounts) {
    it(`${workers} process(es) use the new certificate without dropping a request, and keep the old one if the new file is invalid`, async (t) => {
      const files = openFiles(t)
      const flags = { ...files.own(authority.issue('old')), workers }
      const [deployment, served] = await startProvider(t, flags)
      const assertCertificate = async (name: string) => {
        for (let turn = 0; turn < 6; turn += 1) assert.equal(await certificateName(served), name)
      }
      const untilLogged = (message: string) =>
        until(() => countOccurrences(served.stderr(), message) === Number(workers), served.stderr)
      const traffic = startTraffic(deployment, served, trusted)
      await traffic.more(20)

      files.write('cert.pem', authority.issue('of another key').cert)
      served.child.kill('SIGHUP')
      await untilLogged('certificates not reloaded')
      assert.match(served.stderr(), /does not match the private key in/)
      await assertCertificate('old')

      files.own(authority.issue('new'))
      served.child.kill('SIGHUP')
      await untilLogged('certificates reloaded')
      await traffic.more(50)

      assert.deepEqual(await traffic.stop(), [])
      await assertCertificate('new')
    })
  }
})

describeOn('sqlite', 'a server does not start with', () => {
  const { cert, key } = authority.issue('bank')
  const other = authority.issue('other')
  const provider = {
    'provider-url': 'https://bank.example',
    subdomain: 's',
    'jwks-url': 'http://127.0.0.1:9/',
  }

  for (const [name, { status, message, files }] of Object.entries({
    'a certificate and no key': {
      status: 2,
      message: /HOLDFAST_TLS_KEY \(--tls-key\) is required with HOLDFAST_TLS_CERT/,
      files: { 'tls-cert': cert },
    },
    'a key and no certificate': {
      status: 2,
      message: /HOLDFAST_TLS_CERT \(--tls-cert\) is required with HOLDFAST_TLS_KEY/,
      files: { 'tls-key': key },
    },
    'a client CA alone': {
      status: 2,
      message:
        /TLS_CERT .+ is required with HOLDFAST_TLS_CLIENT_CA.*\n.*TLS_KEY .+ is required with/,
      files: { 'tls-client-ca': platforms.cert },
    },
    'a certificate of another key': {
      status: 1,
      message: /^the certificate in \S+ does not match the private key in \S+;/,
      files: { 'tls-cert': cert, 'tls-key': other.key },
    },
    'an invalid certificate': {
      status: 1,
      message: /^--tls-cert: \S+ contains no valid certificate; it must be PEM/,
      files: { 'tls-cert': 'hello', 'tls-key': key },
    },
    'an invalid key': {
      status: 1,
      message: /^--tls-key: \S+ contains no valid private key/,
      files: { 'tls-cert': cert, 'tls-key': cert },
    },
    'an invalid client CA': {
      status: 1,
      message: /^--tls-client-ca: \S+ contains no valid certificate/,
      files: { 'tls-cert': cert, 'tls-key': key, 'tls-client-ca': key },
    },
    'missing files': {
      status: 1,
      message: /^--tls-cert: cannot read \S+ \(ENOENT\)/,
      files: { 'tls-cert': undefined, 'tls-key': undefined },
    },
  })) {
    it(`${name}, and reports the error`, async (t) => {
      const { write } = openFiles(t)
      const fileFlags = Object.entries(files).flatMap(([flag, text]) => [
        `--${flag}`,
        text === undefined ? '/nowhere/at-all.pem' : write(`${flag}.pem`, text),
      ])
      const flags = { ...provider, database: await newDatabase(t), port: '0' }
      const args = ['serve', 'provider', ...toArguments(flags), ...fileFlags]

      const ended = await runInProcess(args)

      assert.equal(ended.status, status, ended.stderr)
      assert.match(ended.stderr, message)
      assert.equal(ended.stdout, '')
    })
  }

  for (const workers of workerCounts) {
    it(`an invalid certificate, and reports the error once and exits: ${workers} process(es)`, async (t) => {
      const files = openFiles(t).own({ cert: 'hello', key })
      const flags = { ...provider, ...files, database: await newDatabase(t), port: '0', workers }

      const ended = await runHoldfast(['serve', 'provider', ...toArguments(flags)])

      assert.equal(ended.status, 1)
      assert.match(ended.stderr, /^--tls-cert: \S+ contains no valid certificate; it must be PEM/)
      assert.equal(countOccurrences(ended.stderr, '--tls-cert'), 1)
      assert.equal(ended.stdout, '')
    })
  }
})
