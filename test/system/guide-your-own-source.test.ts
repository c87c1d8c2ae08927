import assert from 'node:assert/strict'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { createScope, describeOnce, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { findFreePort } from '../support/free-port.ts'
import { send } from '../support/http.ts'
import { openKeyServer } from '../support/key-server.ts'
import { readOutput, run, start } from '../support/process.ts'
import { makeKey, mintToken, validClaims } from '../support/tokens.ts'
import { until } from '../support/until.ts'

const guide = readFileSync(new URL('../../docs/guides/your-own-source.md', import.meta.url), 'utf8')
const [program = '', restrictions = '', check = ''] = [...guide.matchAll(/```js\n(.*?)```/gs)].map(
  ([, block = '']) => block,
)
const [, capabilities = ''] = /`(\['no-.*?\])`/.exec(guide) ?? []
const moduleUrl = (name: string) => new URL(`../../src/${name}/index.ts`, import.meta.url).href

/** The program of the guide as a process in a folder of its own, and a request with a token that was used once. */
async function openProgram(t: Scope, text = program) {
  const scope = createScope(t)
  const folder = await temporaryFolder(scope)
  const key = makeKey('ES256', 'k1')
  const keyServer = await openKeyServer([key.jwk])
  scope.after(keyServer.close)
  const port = await findFreePort()
  const adapted = text
    .replace('holdfast/server', moduleUrl('server'))
    .replace('http://127.0.0.1:8081/.well-known/jwks.json', keyServer.url)
    .replaceAll('8080', String(port))
  writeFileSync(join(folder, 'bank.mjs'), adapted)

  const path = '/v1/banking/customer/c1/accounts'
  const audience = `http://127.0.0.1:${port}${path}`
  const claims = { ...validClaims(path, Date.now() / 1000), sub: 'bank', aud: audience }
  const token = mintToken(claims, { alg: key.alg, kid: key.kid, typ: 'JWT' }, key)
  const request = () => send(port, path, { headers: { authorization: `Bearer ${token}` } })

  /** Starts the program and sends the token. */
  const sendToken = async (...flags: readonly string[]): Promise<number> => {
    const child = start(scope, [process.execPath, 'bank.mjs', ...flags], { cwd: folder })
    const { stderr } = readOutput(child)
    await until(async () => {
      assert.equal(child.exitCode, null, stderr())
      return (await send(port, '/health/ready').catch(() => undefined))?.status === 200
    })
    const { status } = await request()
    child.kill('SIGKILL')
    await until(() => child.signalCode !== null)
    return status
  }
  return {
    sendToken,
    runToEnd: (...flags: readonly string[]) =>
      run([process.execPath, 'bank.mjs', ...flags], { cwd: folder }),
    loseFiles(pattern: string) {
      for (const file of globSync(pattern, { cwd: folder })) rmSync(join(folder, file))
    },
  }
}

describeOnce('the guide A provider over your own data', () => {
  it('has a program that accepts no used token again, and does not start without the files that record it', async (t) => {
    const { sendToken, runToEnd, loseFiles } = await openProgram(t)

    assert.equal(await sendToken('--create'), 200)
    assert.equal(await sendToken(), 401)
    loseFiles('tokens.db-replay*')
    for (const flags of [[], ['--create']]) {
      const { status, stderr } = await runToEnd(...flags)
      assert.notEqual(status, 0)
      assert.match(
        stderr,
        /tokens\.db-replay is missing: .* start once with guard\.newReplayFile: /,
      )
    }
    loseFiles('tokens.db*')
    const { status, stderr } = await runToEnd()

    assert.notEqual(status, 0)
    assert.match(stderr, /database not found at .*tokens\.db: .* create it with guard\.create\n/)
    assert.doesNotMatch(stderr, /--create|--new-replay-file/)
  })

  it('has restrictions that the program applies', async (t) => {
    const [importLine = '', ...definitions] = restrictions.split('\n')
    const withRestrictions = program
      .replace('import {', `${importLine}\nimport {`)
      .replace(/const withAccounts = .*?\n}\n/s, definitions.join('\n'))
      .replaceAll(`'c2'`, `'c1'`)
    const { sendToken } = await openProgram(
      t,
      withRestrictions.replaceAll('holdfast/server', moduleUrl('server')),
    )

    assert.equal(await sendToken('--create'), 403)
  })

  it('has a program that passes every check, in five lines of a test', async (t) => {
    const folder = await temporaryFolder(t)
    const port = String(await findFreePort())
    const test = [
      `import assert from 'node:assert/strict'`,
      `import { checkProvider, publishKeys } from '${moduleUrl('check')}'`,
      `import { open } from './bank.mjs'`,
      `const capabilities = ${capabilities}`,
      check.replaceAll('8080', port),
      'console.log(report.results.filter(({ judgement }) => judgement === "pass").length)',
    ]
    writeFileSync(join(folder, 'bank.mjs'), program.replace('holdfast/server', moduleUrl('server')))
    writeFileSync(join(folder, 'test.mjs'), test.join('\n'))

    const { status, stdout, stderr } = await run([process.execPath, 'test.mjs'], { cwd: folder })

    assert.equal(status, 0, stdout + stderr)
    assert.equal(check.trim().split('\n').length, 5)
    assert.ok(Number(stdout) > 80, stdout)
  })
})
