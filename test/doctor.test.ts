import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { makeAuthority } from './support/certificates.ts'
import { openDeployment } from './support/deployment.ts'
import {
  bareDatabase,
  createScope,
  describe,
  describeOn,
  describeOnce,
  type Scope,
} from './support/engines.ts'
import { temporaryFolder } from './support/folder.ts'
import { findFreePort } from './support/free-port.ts'
import { openKeyServer } from './support/key-server.ts'
import { openLocalServer } from './support/local-server.ts'
import { type Flags, runInProcess, toArguments } from './support/process.ts'

interface Finding {
  readonly subject: string
  readonly state: string
  readonly text: string
  readonly advice?: string
}

async function examine(role: string, flags: Flags, environment: Flags = {}) {
  const args = ['doctor', role, '--json', ...toArguments({ port: '0', ...flags })]
  const { status, stdout, stderr } = await runInProcess(args, environment)
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] }
  return {
    status,
    stderr,
    output: stdout + stderr,
    find: (subject: string) => findings.filter((each) => each.subject === subject),
    /** The subjects with anything but facts. */
    wrong: findings.filter(({ state }) => state !== 'ok').map(({ subject }) => subject),
  }
}

/** The settings of a provider that lacks nothing. */
async function openSettings(t: Scope) {
  const deployment = await openDeployment(t)
  const { database, keyServer } = deployment
  const provider = {
    database,
    'provider-url': 'http://127.0.0.1:8080',
    'jwks-url': keyServer.url,
    subdomain: 'bank',
  }
  return { ...deployment, provider }
}

describe('holdfast doctor', () => {
  it('finds nothing wrong with a provider and a platform that are complete', async (t) => {
    const { provider, database, addClient } = await openSettings(t)
    await runInProcess(['keys', 'add', '--database', database])
    await addClient()

    const ofProvider = await examine('provider', provider)
    const ofPlatform = await examine('platform', { database })

    assert.deepEqual([ofProvider.status, ofProvider.wrong, ofProvider.stderr], [0, [], ''])
    assert.deepEqual([ofPlatform.status, ofPlatform.wrong], [0, []])
    for (const subject of ['settings', 'files', 'database', 'keys', 'clock', 'ports']) {
      assert.ok(ofProvider.find(subject).length > 0, subject)
    }
    assert.match(ofPlatform.find('keys')[0]?.text ?? '', /^1 in use/)
  })

  it('names what a platform and an intake lack to answer a request', async (t) => {
    const { database, addClient } = await openSettings(t)
    await addClient('pricing', 'products.write')

    const ofPlatform = await examine('platform', { database })
    const ofIntake = await examine('intake', { database })

    assert.equal(ofPlatform.find('keys')[0]?.advice, 'holdfast keys add')
    assert.deepEqual(ofPlatform.wrong, ['keys'])
    assert.equal(ofIntake.find('clients')[0]?.advice, 'holdfast client add NAME --scope data.write')
    assert.deepEqual([ofPlatform.status, ofIntake.status], [1, 0])
  })

  it('says once why it cannot use a database', async (t) => {
    const empty = await bareDatabase(t)
    const unreachable = 'postgres://holdfast@127.0.0.1:1/bank'

    for (const [database, reason] of [
      [
        empty,
        /has no Holdfast tables: .* create them with|database not found at .* create it with/,
      ],
      [unreachable, /the database 127\.0\.0\.1:1\/bank cannot be used: .*ECONNREFUSED/],
    ] as const) {
      const ofProvider = await examine('provider', { database })
      const ofPlatform = await examine('platform', { database })

      assert.match(ofProvider.find('database')[0]?.text ?? '', reason)
      assert.match(ofPlatform.find('database')[0]?.text ?? '', reason)
      assert.deepEqual(ofPlatform.wrong, ['database'])
      const advice = ofProvider.find('database')[0]?.advice ?? ''
      assert.equal(/^Start the server of the database/.test(advice), database === unreachable)
    }
  })
})

describeOnce('holdfast doctor', () => {
  it('lists everything that is missing in a fresh folder, with what to do, and creates nothing', async (t) => {
    const folder = await temporaryFolder(t)
    const database = `sqlite:${join(folder, 'new/bank.db')}`

    const { status, stdout, stderr } = await runInProcess([
      ...['doctor', 'provider', '--port', '0', '--database', database],
    ])

    assert.equal(status, 1)
    assert.match(stdout, /^problem +settings +HOLDFAST_SUBDOMAIN \(--subdomain\) is required/m)
    assert.match(stdout, /^problem +database +database not found at .* create it with/m)
    assert.equal(stderr, '4 problems found\n')
    assert.deepEqual(readdirSync(folder), [])
  })

  it('measures the clock against the Date of the platform', async (t) => {
    const { provider, keyServer, key } = await openSettings(t)
    const respondAt = (offsetSeconds: number) =>
      keyServer.respondWith((response) => {
        response.setHeader('date', new Date(Date.now() + offsetSeconds * 1000).toUTCString())
        response.end(JSON.stringify({ keys: [key.jwk] }))
      })

    respondAt(3600)
    const far = await examine('provider', provider)
    respondAt(-15)
    const near = await examine('provider', provider)

    const [behind] = far.find('clock')
    assert.match(behind?.text ?? '', /^3(599|600|601) s behind that of the platform, and 30 s are/)
    assert.match(behind?.advice ?? '', /time service/)
    const [ahead] = near.find('clock')
    assert.match(ahead?.text ?? '', /^1[456] s ahead of that of the platform$/)
    assert.deepEqual([far.wrong, near.wrong], [['clock'], ['clock']])
    assert.deepEqual([far.status, near.status], [1, 0])
  })

  it('gives the reason for missing keys', async (t) => {
    const { provider, keyServer } = await openSettings(t)
    keyServer.publish({ kty: 'oct' })
    const unusable = await examine('provider', provider)
    await keyServer.stop()
    const unreachable = await examine('provider', provider)

    assert.match(unusable.find('keys')[0]?.text ?? '', /: no usable key$/)
    assert.match(unreachable.find('keys')[0]?.text ?? '', /: fetch failed: ECONNREFUSED$/)
    assert.match(unreachable.find('keys')[0]?.advice ?? '', /HOLDFAST_JWKS_URL/)
  })

  it('finds ports in use, and hosts that are not of this machine', async (t) => {
    const { provider, keyServer } = await openSettings(t)
    const used = await examine('provider', { ...provider, port: String(keyServer.port) })
    const foreign = await examine('provider', {
      ...provider,
      'metrics-host': '192.0.2.1',
      'metrics-port': String(await findFreePort()),
    })

    assert.match(used.find('ports')[0]?.text ?? '', /is already in use$/)
    assert.match(used.find('ports')[0]?.advice ?? '', /--port/)
    assert.match(foreign.find('ports')[1]?.text ?? '', /^cannot listen on 192\.0\.2\.1/)
    assert.deepEqual([used.status, foreign.status], [0, 1])
  })

  it('finds certificates that expire, have expired or are for another host', async (t) => {
    const { provider } = await openSettings(t)
    const folder = await temporaryFolder(t)
    const authority = makeAuthority('Test CA')
    const examineWith = (name: string, options: Parameters<typeof authority.issue>[1]) => {
      const { cert, key } = authority.issue(name, options)
      for (const [file, text] of Object.entries({ cert, key })) {
        writeFileSync(join(folder, file), text, { mode: 0o600 })
      }
      const files = { 'tls-cert': join(folder, 'cert'), 'tls-key': join(folder, 'key') }
      const url = { 'provider-url': 'https://bank.example' }
      return examine('provider', { ...provider, ...url, ...files })
    }
    const inDays = (days: number) => new Date(Date.now() + days * 24 * 3_600_000)
    const names = ['bank.example']

    const valid = await examineWith('a', { names, to: inDays(90) })
    const soon = await examineWith('b', { names, to: inDays(5) })
    const expired = await examineWith('c', { names, from: inDays(-9), to: inDays(-1.5) })
    const other = await examineWith('d', { names: ['other.example'], to: inDays(90) })

    assert.deepEqual(valid.wrong, [])
    assert.match(soon.find('certificates')[0]?.advice ?? '', /SIGHUP/)
    assert.match(expired.find('certificates')[0]?.text ?? '', /has expired on/)
    assert.match(other.find('certificates')[1]?.text ?? '', /is not for bank\.example$/)
    assert.deepEqual(
      [valid, soon, expired, other].map(({ status }) => status),
      [0, 0, 1, 0],
    )
  })

  it('finds a missing, an unreachable and an unusable part of a guard', async (t) => {
    const scope = createScope(t)
    const { provider } = await openSettings(scope)
    const folder = await temporaryFolder(scope)
    const upstream = await openKeyServer([])
    scope.after(upstream.close)
    const header = join(folder, 'header')
    writeFileSync(header, 'x-api-key: SECRET-VALUE', { mode: 0o644 })
    const flags = { ...provider, upstream: new URL(upstream.url).origin }

    const complete = await examine('guard', flags)
    const loose = await examine('guard', { ...flags, 'upstream-header-file': header })
    const unknown = await examine('guard', { ...flags, 'upstream-operations': 'B99' })
    await upstream.stop()
    const stopped = await examine('guard', flags)

    assert.deepEqual(complete.wrong, [])
    assert.equal(loose.find('files')[0]?.advice, `chmod 600 '${header}'`)
    assert.doesNotMatch(loose.output, /SECRET-VALUE/)
    assert.match(unknown.find('upstream')[0]?.text ?? '', /B99 is not an operation/)
    assert.match(stopped.find('upstream')[0]?.text ?? '', /: ECONNREFUSED$/)
    assert.deepEqual([loose.status, unknown.status, stopped.status], [0, 1, 1])
  })

  it('fails where a server does not start: without its replay file, and with one port for two purposes', async (t) => {
    const { provider, database } = await openSettings(t)
    const server = await openLocalServer(t, 'provider', { ...provider, port: '0' })
    await server.close()
    const port = String(await findFreePort())
    const samePorts = await examine('provider', { ...provider, port, 'metrics-port': port })
    rmSync(`${database.slice('sqlite:'.length)}-replay`)
    const withoutReplay = await examine('provider', provider)

    assert.equal(samePorts.status, 1)
    assert.match(samePorts.find('ports')[1]?.text ?? '', /of the server and of its metrics$/)
    assert.match(samePorts.find('ports')[1]?.advice ?? '', /--metrics-port/)
    assert.equal(withoutReplay.status, 1)
    assert.match(withoutReplay.find('database')[0]?.text ?? '', /the replay file .* is missing/)
  })

  it('says what to do about a folder in place of a file, and that there is no file to examine', async (t) => {
    const folder = await temporaryFolder(t)
    const database = `sqlite:${join(folder, 'bank.db')}`

    const ofFolder = await examine('provider', { database, 'brand-logo': folder })
    const ofNothing = await examine('provider', { database })

    assert.equal(
      ofFolder.find('files')[0]?.text,
      `--brand-logo: ${folder} is a folder: name a file`,
    )
    assert.equal(ofNothing.find('files')[0]?.text, 'none to examine')
  })

  it('reads no pipe, which would block it', async (t) => {
    const pipe = join(await temporaryFolder(t), 'key')
    execFileSync('mkfifo', [pipe])

    const { status, stderr } = await runInProcess(['doctor', '--tls-cert', pipe, '--tls-key', pipe])

    assert.deepEqual(
      [status, stderr],
      [1, `--tls-key: ${pipe} is a pipe: name a file to examine\n`],
    )
  })

  it('prints no password, and no user information of a URL', async () => {
    const { output, status } = await examine(
      'provider',
      {},
      {
        HOLDFAST_DATABASE: 'postgres://holdfast:PASS-WORD@127.0.0.1:1/bank',
        HOLDFAST_JWKS_URL: 'https://user:PASS-WORD@127.0.0.1:1/keys?secret=PASS-WORD',
        HOLDFAST_PASSWORD: 'PASS-WORD',
      },
    )

    assert.equal(status, 1)
    assert.match(output, /HOLDFAST_PASSWORD is not a setting/)
    assert.doesNotMatch(output, /PASS-WORD/)
  })
})

describeOn('sqlite', 'holdfast doctor', () => {
  it('finds database files that other users can read', async (t) => {
    const { provider, database } = await openSettings(t)
    const path = database.slice('sqlite:'.length)
    chmodSync(path, 0o644)

    const { find, status } = await examine('provider', provider)

    assert.equal(find('files')[0]?.advice, `chmod 600 '${path}'`)
    assert.equal(status, 0)
  })
})
