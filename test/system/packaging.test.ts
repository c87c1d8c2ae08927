import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { posix } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { countNeededDescriptors } from '../../src/server/descriptor-limit.ts'
import {
  settingDefinitions,
  settingNames,
  variableName,
} from '../../src/server/settings/settings.ts'
import { makeAuthority } from '../support/certificates.ts'
import { run } from '../support/process.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const readText = (path: string) => readFileSync(posix.join(root, path), 'utf8')
const dockerfile = readText('Dockerfile')
const unit = readText('packaging/holdfast@.service')
const healthcheck = posix.join(root, 'packaging/healthcheck.js')

describe('the Docker image', () => {
  it('copies only files that exist and that .dockerignore includes', () => {
    const included = readText('.dockerignore')
      .split('\n')
      .flatMap((line) => (line.startsWith('!') ? line.slice(1) : []))
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
      ([, sources = '']) => sources.split(' '),
    )

    assert.ok(copied.length > 5)
    for (const path of copied)
      assert.ok(existsSync(posix.join(root, path)), `${path} does not exist`)
    assert.deepEqual([...copied].sort(), [...included].sort())
  })

  it('builds from the files that the Dockerfile copies, and starts from the files of the final stage', async (t) => {
    const folder = mkdtempSync(posix.join(tmpdir(), 'holdfast-image-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const [build = '', final = ''] = dockerfile.split(/^FROM /m).slice(1)
    const stage = (name: string, instructions: string) => {
      for (const [, sources = '', target = ''] of instructions.matchAll(
        /^COPY (?!--from)(.+) (\S+)$/gm,
      )) {
        for (const source of sources.split(' ')) {
          const into = target === './' || target.endsWith('/') ? posix.basename(source) : ''
          const path = posix.join(folder, name, target, into)
          cpSync(posix.join(root, source), path, {
            recursive: true,
            filter: (file) => !file.endsWith('.test.ts'),
          })
        }
      }
      symlinkSync(posix.join(root, 'node_modules'), posix.join(folder, name, 'node_modules'))
    }
    const runIn = (name: string, ...args: readonly string[]) =>
      run([process.execPath, ...args], { cwd: posix.join(folder, name) })

    stage('build', build)
    const [, script = ''] = /^RUN node (\S+)$/m.exec(build) ?? []
    const built = await runIn('build', script)
    stage('final', final)
    for (const [, source = ''] of final.matchAll(/^COPY --from=build \/build\/(\S+) \S+$/gm)) {
      if (source === 'node_modules') continue
      cpSync(posix.join(folder, 'build', source), posix.join(folder, 'final', source), {
        recursive: true,
      })
    }
    const [, program = ''] = /^ENTRYPOINT \["node", "\/app\/(.+)"\]$/m.exec(dockerfile) ?? []
    const started = await runIn('final', program, '--help')

    assert.equal(built.status, 0, built.stderr)
    assert.match(started.stdout, /^Usage: holdfast /, started.stderr)
  })

  it('runs the command of the package as a user other than root', () => {
    const [, user = '0'] = /^USER (\d+):\d+$/m.exec(dockerfile) ?? []
    const [, program = ''] = /^ENTRYPOINT \["node", "\/app\/(.+)"\]$/m.exec(dockerfile) ?? []

    assert.notEqual(Number(user), 0)
    assert.ok(existsSync(posix.join(root, program)))
  })
})

describe('the packaging files', () => {
  it('use only settings that exist', () => {
    const known = new Set(settingNames.map(variableName))
    const texts = [
      dockerfile,
      unit,
      readFileSync(healthcheck, 'utf8'),
      readText('docs/guides/deploy.md'),
    ]
    const named = texts.flatMap((text) => text.match(/\bHOLDFAST_[A-Z_]+\b/g) ?? [])

    assert.ok(named.length > 10)
    assert.deepEqual(
      named.filter((name) => !known.has(name)),
      [],
    )
  })

  it('give the server enough time for a graceful shutdown', () => {
    const seconds = Number(settingDefinitions.shutdownTimeout.defaults.provider)
    const [, stopTimeout] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? []

    assert.ok(Number(stopTimeout) > seconds + 3)
    // The default timeout of docker stop.
    assert.ok(seconds < 10)
  })
})

describe('the unit', () => {
  const readValue = (section: string, key: string) => {
    const [, text = ''] = new RegExp(`^\\[${section}\\]$(.*?)^\\[`, 'ms').exec(unit) ?? []
    return new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1]
  }

  it('is restarted however often it fails, after a pause', () => {
    assert.equal(readValue('Unit', 'StartLimitIntervalSec'), '0')
    assert.equal(readValue('Service', 'Restart'), 'always')
    assert.ok(Number(readValue('Service', 'RestartSec')) >= 2)
  })

  it('may open as many files as its connections need, with any settings', () => {
    const readMax = (name: 'databaseConnections' | 'upstreamConnections') =>
      Number(/ to (\d+)$/.exec(settingDefinitions[name].mustBe)?.[1])
    const needed = countNeededDescriptors({
      databaseConnections: readMax('databaseConnections'),
      upstreamConnections: readMax('upstreamConnections'),
    })

    assert.ok(needed > 4000, String(needed))
    assert.ok(Number(readValue('Service', 'LimitNOFILE')) >= needed, String(needed))
  })

  for (const role of ['provider', 'platform', 'intake', 'guard']) {
    it(`has no errors and little exposure according to systemd, for a ${role}`, async (t) => {
      const folder = mkdtempSync(posix.join(tmpdir(), 'holdfast-unit-'))
      t.after(() => rmSync(folder, { recursive: true, force: true }))
      const file = posix.join(folder, `holdfast@${role}.service`)
      writeFileSync(file, unit.replace('=/usr/bin/node ', `=${process.execPath} `))

      const verified = await runSystemdAnalyze('verify', file)
      // Of 10, in tenths. The rest is the JIT compiler, sockets, and system calls that Node may need.
      const secured = await runSystemdAnalyze('security', '--offline=yes', '--threshold=16', file)

      assert.deepEqual([verified.status, verified.stderr], [0, ''])
      assert.equal(secured.status, 0, secured.stdout)
    })
  }

  it('starts the roles that the command has', async () => {
    const { stdout } = await run([process.execPath, 'bin/holdfast.js', 'serve', '--help'], {
      cwd: root,
    })

    assert.match(unit, /holdfast\.js serve %i$/m)
    for (const role of ['provider', 'platform', 'intake', 'guard'])
      assert.match(stdout, new RegExp(`\\b${role}\\b`))
  })

  /** In Debian's package systemd. It needs no running systemd. */
  function runSystemdAnalyze(...args: readonly string[]) {
    return run(['systemd-analyze', ...args], { environment: { PATH: process.env['PATH'] } }).catch(
      (error: Error) => {
        throw new Error('install systemd-analyze', { cause: error })
      },
    )
  }
})

describe('the health check', () => {
  const { cert, key } = makeAuthority('untrusted').issue('server')

  async function listen(t: TestContext, answer: RequestListener, isSecure = false) {
    const server = isSecure ? createSecureServer({ cert, key }, answer) : createServer(answer)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    return (server.address() as AddressInfo).port
  }
  async function runHealthcheck(environment: Record<string, string>): Promise<number | null> {
    return (await run([process.execPath, healthcheck], { environment })).status
  }
  const live: RequestListener = ({ url }, response) => {
    response.writeHead(url === '/health/live' ? 200 : 404).end()
  }

  it('passes if the server is live, over HTTP and HTTPS', async (t) => {
    const [plain, secure] = [await listen(t, live), await listen(t, live, true)]

    assert.equal(await runHealthcheck({ HOLDFAST_PORT: String(plain) }), 0)
    assert.equal(
      await runHealthcheck({ HOLDFAST_PORT: String(secure), HOLDFAST_TLS_CERT: 'cert.pem' }),
      0,
    )
  })

  it('fails on any other status, and if nothing listens', async (t) => {
    const port = await listen(t, (_request, response) => response.writeHead(503).end())
    const stopped = createServer().listen(0, '127.0.0.1')
    await once(stopped, 'listening')
    const { port: closed } = stopped.address() as AddressInfo
    stopped.close()
    await once(stopped, 'close')

    assert.equal(await runHealthcheck({ HOLDFAST_PORT: String(port) }), 1)
    assert.equal(await runHealthcheck({ HOLDFAST_PORT: String(closed) }), 1)
  })

  it('checks only that the port accepts connections if clients need a certificate', async (t) => {
    const port = await listen(t, live, true)
    const settings = { HOLDFAST_TLS_CERT: 'cert.pem', HOLDFAST_TLS_CLIENT_CA: 'ca.pem' }

    assert.equal(await runHealthcheck({ HOLDFAST_PORT: String(port), ...settings }), 0)
  })
})
