import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { posix } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { definitions, settingNames, variableOf } from '../src/settings/settings.ts'
import { makeAuthority } from './support/certificates.ts'
import { run } from './support/process.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const textOf = (path: string) => readFileSync(posix.join(root, path), 'utf8')
const dockerfile = textOf('Dockerfile')
const unit = textOf('packaging/holdfast.service')
const healthcheck = posix.join(root, 'packaging/healthcheck.js')

describe('the image', () => {
  it('is made of files that exist and that Docker is shown', () => {
    const shown = textOf('.dockerignore')
      .split('\n')
      .flatMap((line) => (line.startsWith('!') ? line.slice(1) : []))
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
      ([, sources = '']) => sources.split(' '),
    )

    assert.ok(copied.length > 5)
    for (const path of copied) assert.ok(existsSync(posix.join(root, path)), `${path} is not there`)
    assert.deepEqual([...copied].sort(), [...shown].sort())
  })

  it('builds from the files that the Dockerfile copies, and starts from those that it keeps', async (t) => {
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

  it('runs the program of the package, not as root', () => {
    const [, user = '0'] = /^USER (\d+):\d+$/m.exec(dockerfile) ?? []
    const [, program = ''] = /^ENTRYPOINT \["node", "\/app\/(.+)"\]$/m.exec(dockerfile) ?? []

    assert.notEqual(Number(user), 0)
    assert.ok(existsSync(posix.join(root, program)))
  })
})

describe('what is packaged', () => {
  it('names settings that exist', () => {
    const known = new Set(settingNames.map(variableOf))
    const texts = [
      dockerfile,
      unit,
      readFileSync(healthcheck, 'utf8'),
      textOf('docs/guides/deploy.md'),
    ]
    const named = texts.flatMap((text) => text.match(/\bHOLDFAST_[A-Z_]+\b/g) ?? [])

    assert.ok(named.length > 10)
    assert.deepEqual(
      named.filter((name) => !known.has(name)),
      [],
    )
  })

  it('leaves a server the time that it takes to stop', () => {
    const seconds = Number(definitions.shutdownTimeout.defaults.provider)
    const [, patience] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? []

    assert.ok(Number(patience) > seconds + 3)
    // As long as docker stop waits unless it is told otherwise.
    assert.ok(seconds < 10)
  })
})

describe('the check of health', () => {
  const { cert, key } = makeAuthority('nobody has heard of').issue('server')

  async function listening(t: TestContext, answer: RequestListener, isSecure = false) {
    const server = isSecure ? createSecureServer({ cert, key }, answer) : createServer(answer)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    return (server.address() as AddressInfo).port
  }
  async function checked(environment: Record<string, string>): Promise<number | null> {
    return (await run([process.execPath, healthcheck], { environment })).status
  }
  const live: RequestListener = ({ url }, response) => {
    response.writeHead(url === '/health/live' ? 200 : 404).end()
  }

  it('passes where the server says that it lives, over https too', async (t) => {
    const [plain, secure] = [await listening(t, live), await listening(t, live, true)]

    assert.equal(await checked({ HOLDFAST_PORT: String(plain) }), 0)
    assert.equal(await checked({ HOLDFAST_PORT: String(secure), HOLDFAST_TLS_CERT: 'cert.pem' }), 0)
  })

  it('fails where it says anything else, or nothing at all', async (t) => {
    const port = await listening(t, (_request, response) => response.writeHead(503).end())
    const gone = createServer().listen(0, '127.0.0.1')
    await once(gone, 'listening')
    const { port: closed } = gone.address() as AddressInfo
    gone.close()
    await once(gone, 'close')

    assert.equal(await checked({ HOLDFAST_PORT: String(port) }), 1)
    assert.equal(await checked({ HOLDFAST_PORT: String(closed) }), 1)
  })

  it('sees only that somebody listens where callers must have a certificate', async (t) => {
    const port = await listening(t, live, true)
    const settings = { HOLDFAST_TLS_CERT: 'cert.pem', HOLDFAST_TLS_CLIENT_CA: 'ca.pem' }

    assert.equal(await checked({ HOLDFAST_PORT: String(port), ...settings }), 0)
  })
})
