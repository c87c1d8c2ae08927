import assert from 'node:assert/strict'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { describeOnce, newDatabase, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { openIdentityProvider } from '../support/identity-provider.ts'
import { type Flags, runInProcess, toArguments } from '../support/process.ts'
import { origin } from './platform.ts'

/** The settings of a platform that lacks nothing. */
async function makeFlags(scope: Scope) {
  const file = join(await temporaryFolder(scope), 'secret')
  writeFileSync(file, 'secret')
  chmodSync(file, 0o600)
  return {
    database: await newDatabase(scope),
    port: '0',
    'public-url': origin,
    'console-issuer': 'https://login.example',
    'console-client-id': 'holdfast',
    'console-client-secret-file': file,
    'console-scopes': 'products.write=pricing',
  }
}

describeOnce('the settings of the sign-in', () => {
  it('are required with the issuer, all named at once', async (t) => {
    const { database } = await makeFlags(t)
    const args = toArguments({ database, 'console-issuer': 'https://login.example' })
    const { status, stderr } = await runInProcess(['serve', 'platform', ...args])

    assert.equal(status, 2)
    for (const name of [
      'PUBLIC_URL',
      'CONSOLE_CLIENT_ID',
      'CONSOLE_CLIENT_SECRET_FILE',
      'CONSOLE_SCOPES',
    ])
      assert.match(
        stderr,
        new RegExp(`HOLDFAST_${name} .*is required with HOLDFAST_CONSOLE_ISSUER`),
      )
  })

  for (const [name, flags] of Object.entries<Flags>({
    'an issuer over http': { 'console-issuer': 'http://login.example' },
    'an issuer with a query': { 'console-issuer': 'https://login.example?x=1' },
    'a public URL over http': { 'public-url': 'http://platform.example' },
    'a scope that does not exist': { 'console-scopes': 'products.delete=pricing' },
    'a scope that sessions cannot have': { 'console-scopes': 'data.write=feeds' },
    'a scope whose name every object has': { 'console-scopes': 'constructor=x' },
    'no value for a scope': { 'console-scopes': 'products.write=' },
    'an empty value': { 'console-scopes': 'products.write=a,,b' },
    'a value that is encoded wrongly': { 'console-scopes': 'products.write=50%' },
    'a rule without a scope': { 'console-scopes': 'pricing' },
  })) {
    it(`are rejected with ${name}`, async (t) => {
      const args = toArguments({ ...(await makeFlags(t)), ...flags })
      const { status, stderr } = await runInProcess(['serve', 'platform', ...args])

      assert.equal(status, 2, stderr)
      assert.match(stderr, /console-(issuer|scopes) must be/i)
    })
  }

  for (const [name, content] of [
    ['does not exist', undefined],
    ['is empty', ' \n'],
    ['is too large', 'x'.repeat(5000)],
  ] as const) {
    it(`are rejected with a secret file that ${name}`, async (t) => {
      const flags = await makeFlags(t)
      const file = `${flags['console-client-secret-file']}-other`
      if (content !== undefined) writeFileSync(file, content)
      const args = toArguments({ ...flags, 'console-client-secret-file': file })
      const { status, stderr } = await runInProcess(['serve', 'platform', ...args])

      assert.equal(status, 1, stderr)
      assert.match(stderr, /--console-client-secret-file: /)
    })
  }
})

describeOnce('holdfast doctor platform', () => {
  it('says whether people can sign in', async (t) => {
    const provider = await openIdentityProvider(t, { platform: origin })
    const flags = { ...(await makeFlags(t)), 'console-issuer': provider.issuer }
    const examine = async () => {
      const args = toArguments(flags)
      const { stdout } = await runInProcess(['doctor', 'platform', '--json', ...args])
      const { findings } = JSON.parse(stdout) as { findings: { subject: string }[] }
      return findings.find(({ subject }) => subject === 'identity provider')
    }
    const { host } = new URL(provider.issuer)

    assert.partialDeepStrictEqual(await examine(), {
      state: 'ok',
      text: `people can sign in at ${host}`,
    })
    provider.changeMetadata = (metadata) => ({ ...metadata, issuer: 'https://other.example' })
    assert.partialDeepStrictEqual(await examine(), {
      state: 'problem',
      advice: 'Set HOLDFAST_CONSOLE_ISSUER to the issuer in the metadata.',
    })
    provider.changeMetadata = (metadata) => ({ ...metadata, jwks_uri: undefined })
    assert.match(JSON.stringify(await examine()), /lacks jwks_uri/)
    provider.changeMetadata = (metadata) => ({ ...metadata, code_challenge_methods_supported: [] })
    assert.partialDeepStrictEqual(await examine(), { state: 'warning' })
    await provider.stop()
    assert.match(JSON.stringify(await examine()), /no metadata at .*ECONNREFUSED/)
  })
})
