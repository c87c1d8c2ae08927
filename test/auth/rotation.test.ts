import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { signingAlgorithms } from '../../src/auth/signing.ts'
import { createScope, describe, describeOnce } from '../support/engines.ts'
import { openPlatform } from '../support/platform.ts'
import { runInProcess } from '../support/process.ts'
import { accountsPath } from '../support/small-bank.ts'
import { assertPasses, assertRejected, openTokenProvider } from '../support/token-provider.ts'
import { publicUrl, subdomain } from '../support/tokens.ts'

/** Commands for a platform, and providers that fetch its keys over HTTP. */
async function openBothSides(t: TestContext) {
  const scope = createScope(t)
  const { database, port } = await openPlatform(scope)
  const run = async (...args: string[]) => {
    const { status, stdout, stderr } = await runInProcess([
      ...args.slice(0, 2),
      '--database',
      database,
      ...args.slice(2),
    ])
    assert.equal(status, 0, stderr)
    return stdout.trimEnd()
  }
  return {
    keys: (...args: string[]) => run('keys', ...args),
    sign: () => run('token', publicUrl + accountsPath, '--subdomain', subdomain),
    async openProvider() {
      const url = `http://127.0.0.1:${port}/.well-known/jwks.json`
      const provider = await openTokenProvider(scope, { keySet: { url } })
      provider.setClock(Date.now() / 1000)
      return provider
    },
  }
}

describe('key rotation on the command line of the platform', () => {
  it('adds a key, signs with it and retires the old one', async (t) => {
    const { keys, sign, openProvider } = await openBothSides(t)
    const old = await keys('add')
    const [kept, late] = [await sign(), await sign()]
    const fresh = await keys('add')

    const during = await openProvider()
    await assertPasses(during, await sign())
    await assertPasses(during, kept)

    // An id may start with a dash.
    await keys('retire', '--', old)
    const afterwards = await openProvider()
    await assertPasses(afterwards, await sign())
    assertRejected(await afterwards.ask(late))
    assert.match(await keys('list'), new RegExp(`^${fresh} .* active$`, 'm'))
  })
})

describeOnce('a signing key', () => {
  it('works with every algorithm', async (t) => {
    const { keys, sign, openProvider } = await openBothSides(t)
    const tokens: string[] = []
    for (const algorithm of signingAlgorithms) {
      await keys('add', '--algorithm', algorithm)
      tokens.push(await sign())
    }
    const provider = await openProvider()

    for (const token of tokens) {
      await assertPasses(provider, token)
      assertRejected(await provider.ask(token))
    }
  })
})
