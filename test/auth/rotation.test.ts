import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import { signingAlgorithms } from '../../src/auth/signing.ts'
import { createScope, describe, describeOnce, newDatabase } from '../support/engines.ts'
import { send } from '../support/http.ts'
import { runHoldfast, type Server, startServer } from '../support/process.ts'
import { accountsPath, createSmallBank } from '../support/small-bank.ts'
import { assertRejected } from '../support/token-provider.ts'
import { publicUrl, subdomain } from '../support/tokens.ts'

/** Commands for a platform and its providers, each with its own database. */
async function openBothSides(t: TestContext) {
  const scope = createScope(t)
  const bank = await createSmallBank(scope)
  const database = await newDatabase(scope)
  const run = async (...args: string[]) => {
    const { status, stdout, stderr } = await runHoldfast([
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
    startPlatform: () => startServer(scope, ['serve', 'platform'], { database }),
    startProvider: ({ address }: Server) =>
      startServer(scope, ['serve', 'provider'], {
        database: bank,
        subdomain,
        'jwks-url': `${address}/.well-known/jwks.json`,
        'provider-url': publicUrl,
      }),
  }
}

const ask = ({ port }: Server, token: string) =>
  send(port, accountsPath, { headers: ['authorization', `Bearer ${token}`] })

describe('key rotation on the command line of the platform', { concurrency: 2 }, () => {
  it('adds a key, signs with it and retires the old one', async (t) => {
    const { keys, sign, startPlatform, startProvider } = await openBothSides(t)
    const old = await keys('add')
    const [kept, late] = [await sign(), await sign()]
    const fresh = await keys('add')
    const platform = await startPlatform()

    const during = await startProvider(platform)
    assert.equal((await ask(during, await sign())).status, 200)
    assert.equal((await ask(during, kept)).status, 200)

    // An id may start with a dash.
    await keys('retire', '--', old)
    const afterwards = await startProvider(platform)
    assert.equal((await ask(afterwards, await sign())).status, 200)
    assertRejected(await ask(afterwards, late))
    assert.match(await keys('list'), new RegExp(`^${fresh} .* active$`, 'm'))
  })
})

describeOnce('a signing key', { concurrency: 2 }, () => {
  it('works with every algorithm', async (t) => {
    const { keys, sign, startPlatform, startProvider } = await openBothSides(t)
    const tokens: string[] = []
    for (const algorithm of signingAlgorithms) {
      await keys('add', '--algorithm', algorithm)
      tokens.push(await sign())
    }
    const provider = await startProvider(await startPlatform())

    for (const token of tokens) {
      assert.equal((await ask(provider, token)).status, 200)
      assertRejected(await ask(provider, token))
    }
  })
})
