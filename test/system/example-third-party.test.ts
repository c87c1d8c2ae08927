import assert from 'node:assert/strict'
import { cpSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type Browser, openBrowser } from '../consent/browser.ts'
import { createScope, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findFreePort } from '../support/free-port.ts'
import { holdfastProgram, run, runInProcess, start, startServer } from '../support/process.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'examples', 'third-party')
const readme = readFileSync(join(folder, 'README.md'), 'utf8')
const [registration = ''] = /^npx holdfast client add .*$/m.exec(readme) ?? []

const programs = {
  'client.ts': { command: ['node', 'client.ts'], secrets: ['keys.json', 'consent.json'] },
  'client.sh': {
    command: ['sh', 'client.sh'],
    secrets: ['client.pem', 'dpop.pem', 'consent.json'],
  },
} as const

const scope = createScope({ after })
const demo = openDemo(scope)

/** A demo with little data. */
async function openDemo(scope: Scope) {
  const cwd = await temporaryFolder(scope)
  const database = `sqlite:${join(cwd, 'demo.db')}`
  const { stdout } = await runInProcess(['generate', '--customers', '1', '--transactions', '30'])
  const loaded = await run(
    [process.execPath, holdfastProgram, 'load', '-', '--database', database],
    {
      input: stdout,
    },
  )
  assert.equal(loaded.status, 0, loaded.stderr)
  const [, email = ''] = /"email":"([^"]+)"/.exec(stdout) ?? []
  const server = await startServer(scope, ['demo'], { database }, { cwd, ready: /Ctrl-C/ })
  return { database, email, platformPort: server.port + 1 }
}

/** Agrees to share the first account, as a customer in a browser. Returns the address of the third party. */
async function agree(browser: Browser, url: string, email: string): Promise<URL> {
  await browser.open(url)
  await browser.submit('identify', { email })
  const [, passcode = ''] = /the code is <strong>(\d+)/.exec(browser.page.text) ?? []
  await browser.submit('passcode', { passcode })
  const [, account = ''] = /name="account" value="([^"]+)"/.exec(browser.page.text) ?? []
  await browser.submit('accounts', { account })
  const target = await browser.submit('confirm')
  assert.ok(target, browser.page.text)
  return target
}

describe('the example of a third party', () => {
  it('is complete in less than 200 lines', () => {
    assert.ok(readFileSync(join(folder, 'client.ts'), 'utf8').split('\n').length <= 200)
  })

  for (const [name, { command, secrets }] of Object.entries(programs)) {
    it(`${name} is registered, gets consent, reads the data and ends the consent`, async (t) => {
      const { database, email, platformPort } = await demo
      const inner = createScope(t)
      const cwd = await temporaryFolder(inner)
      cpSync(join(folder, name), join(cwd, name))
      symlinkSync(join(root, 'node_modules'), join(cwd, 'node_modules'))
      const redirectUri = `http://127.0.0.1:${await findFreePort(1)}/callback`
      const issuer = `http://127.0.0.1:${platformPort}`
      const environment: Record<string, string> = {
        PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
        ISSUER: issuer,
        REDIRECT_URI: redirectUri,
      }
      const call = (action: string) => run([...command, action], { cwd, environment })

      const made = await call('keys')
      assert.equal(made.status, 0, made.stderr)
      const args = registration
        .replace('http://127.0.0.1:9090/callback', redirectUri)
        .replace('jwks.json', join(cwd, 'jwks.json'))
        .replace("'My first client'", 'client')
        .split(' ')
        .slice(2)
      const added = await runInProcess([...args, '--database', database])
      assert.equal(added.status, 0, added.stderr)
      environment['CLIENT_ID'] = added.stdout.trim().replace('client_id: ', '')

      const connecting = start(inner, [...command, 'connect'], { cwd, environment })
      const ended = new Promise<number | null>((resolve) => connecting.once('close', resolve))
      let output = ''
      connecting.stderr.on('data', (data) => (output += data))
      const url = await new Promise<string>((resolve) => {
        connecting.stdout.on('data', (data) => {
          output += data
          const [, printed] = /Open (\S+)\n/.exec(output) ?? []
          if (printed !== undefined) resolve(printed)
        })
        void ended.then(() => resolve(''))
      })
      assert.notEqual(url, '', output)
      const callback = await agree(openBrowser(issuer, platformPort), url, email)
      if (name === 'client.sh') connecting.stdin.end(`${callback}\n`)
      else assert.equal((await fetch(callback)).status, 200)
      assert.equal(await ended, 0, output)
      for (const file of secrets) assert.equal(statSync(join(cwd, file)).mode & 0o077, 0, file)

      for (const repetition of ['first', 'second']) {
        const read = await call('read')
        assert.equal(read.status, 0, `${repetition}: ${read.stderr}${read.stdout}`)
        assert.match(read.stdout, /x{4}/i, 'a masked account number')
      }
      const consents = await runInProcess(['consent', 'list', '--database', database])
      assert.match(consents.stdout, /active/)
      const stored = readFileSync(join(cwd, 'consent.json'))
      const revoked = await call('revoke')
      assert.equal(revoked.status, 0, revoked.stderr)
      const without = await call('read')
      assert.notEqual(without.status, 0)
      assert.match(without.stderr, /consent\.json not found: run .*connect/)

      writeFileSync(join(cwd, 'consent.json'), stored)
      const refused = await call('read')
      assert.notEqual(refused.status, 0)
      assert.match(refused.stdout + refused.stderr, /invalid_grant/)
    })
  }
})
