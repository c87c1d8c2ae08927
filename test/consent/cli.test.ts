import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { openConsentStore, openSigningKeyStore } from '../../src/storage/open.ts'
import { describe, describeOn, describeOnce, newDatabase, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runInProcess } from '../support/process.ts'
import { publicRsa } from '../support/tokens.ts'
import { makeArrangement, makeThirdParty } from './stores.ts'

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const publicEc = { ...ec.publicKey.export({ format: 'jwk' }), kid: 'k1' }
const privateEc = { ...ec.privateKey.export({ format: 'jwk' }), kid: 'k1' }
const rsa = (bits: number) =>
  generateKeyPairSync('rsa', { modulusLength: bits }).publicKey.export({ format: 'jwk' })

async function writeKeys(scope: Scope, content: unknown): Promise<string> {
  const file = join(await temporaryFolder(scope), 'keys.json')
  writeFileSync(file, JSON.stringify(content))
  return file
}

const add = (database: string, ...flags: readonly string[]) =>
  runInProcess(['client', 'add', 'Example Budget', ...flags, '--database', database])

const redirect = ['--redirect-uri', 'https://budget.example/callback']
const scopes = ['--scope', 'openid,bank:accounts.basic:read']

describe('holdfast client with third parties', () => {
  it('adds, lists and removes them beside API clients', async (t) => {
    const database = await newDatabase(t)
    const keys = await writeKeys(t, { keys: [publicEc] })
    const run = (...args: readonly string[]) => runInProcess([...args, '--database', database])
    await run('client', 'add', 'core', '--scope', 'data.write')

    const plain = await add(database, ...redirect, ...scopes, '--jwks', keys)
    const url = 'https://budget.example/jwks.json'
    const cds = await add(database, ...redirect, ...scopes, '--jwks', url, '--profile', 'cds')

    assert.match(plain.stdout, /^client_id: [\da-f-]{36}\n$/)
    const [, plainId = ''] = /client_id: (\S+)/.exec(plain.stdout) ?? []
    const [, cdsId = ''] = /client_id: (\S+)/.exec(cds.stdout) ?? []
    const { stdout } = await run('client', 'list')
    const lines = stdout.trimEnd().split('\n')
    assert.equal(lines.length, 3)
    assert.match(lines[0] ?? '', /data\.write .* core$/)
    assert.match(
      lines[1] ?? '',
      new RegExp(
        `^${plainId}  openid bank:accounts.basic:read  created .*, profile plain, redirects to https://budget.example/callback  Example Budget$`,
      ),
    )
    assert.match(lines[2] ?? '', new RegExp(`^${cdsId} .* profile cds`))
    await run('client', 'remove', plainId)
    assert.equal((await run('client', 'list')).stdout.includes(plainId), false)
    const again = await run('client', 'remove', plainId)
    assert.deepEqual([again.status, again.stderr.includes('no client with this ID')], [1, true])
  })
})

describe('holdfast client add with a base URI', () => {
  it('stores and shows where the third party is informed', async (t) => {
    const database = await newDatabase(t)
    const keys = await writeKeys(t, { keys: [publicEc] })
    const base = ['--recipient-base-uri', 'https://budget.example/dr']

    const { status } = await add(database, ...redirect, ...scopes, '--jwks', keys, ...base)

    assert.equal(status, 0)
    const { stdout } = await runInProcess(['client', 'list', '--database', database])
    assert.match(stdout, /, informed at https:\/\/budget\.example\/dr {2}Example Budget$/m)
  })
})

describeOn('postgres', 'commands on a machine whose clock is ahead', () => {
  it('record times and expiry by the clock of the database', async (t) => {
    const database = await newDatabase(t)
    const store = await openConsentStore(database)
    const signingKeys = await openSigningKeyStore(database)
    t.after(async () => {
      await store.close()
      await signingKeys.close()
    })
    const from = Temporal.Now.instant()
    const until = from.add({ hours: 30 * 24 })
    await store.thirdParties.add(makeThirdParty('tp'))
    for (const id of ['r1', 'r2'])
      await store.arrangements.add(makeArrangement(id, { from, until }))
    const keys = await writeKeys(t, { keys: [publicEc] })
    const { instant } = Temporal.Now
    t.mock.method(Temporal.Now, 'instant', () => instant().add({ hours: 31 * 24 }))
    const run = async (...args: readonly string[]) => {
      const { status, stdout, stderr } = await runInProcess([...args, '--database', database])
      assert.equal(status, 0, stderr)
      return stdout
    }

    assert.match(await run('consent', 'list'), /^r1 {2}active .*\nr2 {2}active /)
    assert.match(await run('consent', 'show', 'r1'), /^status +active$/m)
    await run('consent', 'withdraw', 'r1')
    await run('client', 'remove', 'tp')
    const keyId = (await run('keys', 'add')).trim()
    await run('keys', 'retire', keyId)
    await add(database, ...redirect, ...scopes, '--jwks', keys)

    const changes = [
      ...(await store.arrangements.listChanges('r1')),
      ...(await store.arrangements.listChanges('r2')),
    ]
    assert.deepEqual(
      changes.map(({ reason }) => reason),
      ['customer', 'operator', 'customer', 'third_party_removed'],
    )
    const [key] = await signingKeys.list()
    const [thirdParty] = await store.thirdParties.list()
    const times = [
      ...changes.map(({ time }) => time),
      key?.created,
      key?.retired,
      thirdParty?.created,
    ]
    for (const time of times) {
      assert.ok(time && Temporal.Instant.compare(time, until) < 0, String(time))
    }
  })
})

describeOnce('holdfast client add rejects a third party', () => {
  const rejected = (name: string, flags: (scope: Scope) => Promise<string[]>, error: RegExp) => {
    it(`with ${name}`, async (t) => {
      const database = await newDatabase(t)

      const { status, stderr } = await add(database, ...(await flags(t)))

      assert.equal(status, 2, stderr)
      assert.match(stderr, error)
    })
  }
  const valid = async (scope: Scope) => ['--jwks', await writeKeys(scope, { keys: [publicEc] })]
  for (const [uri, error] of [
    ['http://budget.example/', /must be an https URL/],
    ['https://budget.example/cb#x', /must not have a fragment/],
    ['https://a:b@budget.example/', /must not have credentials/],
    ['https://budget.example', /must be written as "https:\/\/budget.example\/"/],
    ['https://budget.example/a/../b', /must be written as/],
    ['javascript:alert(1)', /must be an https URL/],
    ['budget', /must be an https URL/],
  ] as const) {
    rejected(
      `the redirect URI ${uri}`,
      async (t) => ['--redirect-uri', uri, ...scopes, ...(await valid(t))],
      error,
    )
  }
  rejected(
    'redirect URIs of two hosts',
    async (t) => [
      ...redirect,
      '--redirect-uri',
      'https://other.example/',
      ...scopes,
      ...(await valid(t)),
    ],
    /must have the same host/,
  )
  for (const uri of [
    'http://budget.example',
    'https://a:b@budget.example',
    'https://budget.example/?a',
    'https://budget.example/#a',
    'ftp://budget.example',
    'budget',
  ]) {
    rejected(
      `the base URI ${uri}`,
      async (t) => [...redirect, ...scopes, ...(await valid(t)), '--recipient-base-uri', uri],
      /--recipient-base-uri must be an https URL/,
    )
  }
  rejected(
    'a base URI that is written in another way',
    async (t) => [
      ...redirect,
      ...scopes,
      ...(await valid(t)),
      '--recipient-base-uri',
      'https://Budget.example/a/../dr',
    ],
    /--recipient-base-uri must be written as "https:\/\/budget\.example\/dr"/,
  )
  rejected('no keys', async () => [...redirect, ...scopes], /--jwks is required/)
  rejected(
    'a scope of an API client',
    async (t) => [...redirect, '--scope', 'openid,data.write', ...(await valid(t))],
    /--scope of a third party must be/,
  )
  rejected(
    'keys without a redirect URI',
    async (t) => [...scopes, ...(await valid(t))],
    /require --redirect-uri/,
  )
  rejected(
    'keys at a plain http URL',
    async () => [...redirect, ...scopes, '--jwks', 'http://budget.example/jwks'],
    /--jwks must be a file, an https URL/,
  )
  for (const [name, content, error] of [
    ['a private key', { keys: [privateEc] }, /keys\[0\] contains the private member d/],
    ['a symmetric key', { keys: [{ kty: 'oct', k: 'AAAA' }] }, /private member k/],
    ['a short RSA key', { keys: [rsa(1024)] }, /keys\[0\] has fewer than 2048 bits/],
    ['a large RSA key', { keys: [publicRsa(8200)] }, /keys\[0\] has more than 8192 bits/],
    [
      'a key that is none',
      { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }] },
      /is not a public key/,
    ],
    [
      'keys for encryption only',
      { keys: [{ ...publicEc, use: 'enc' }] },
      /has no key for PS256 or ES256/,
    ],
    ['keys of another algorithm', { keys: [{ ...publicEc, alg: 'ES512' }] }, /has no key for/],
    ['keys with one id', { keys: [publicEc, publicEc] }, /different key ids/],
    ['no key in the set', { keys: [] }, /1 to 20 keys/],
    ['something else', [1], /must be a JSON Web Key Set/],
  ] as const) {
    rejected(
      `${name} in the file`,
      async (t) => [...redirect, ...scopes, '--jwks', await writeKeys(t, content)],
      error,
    )
  }
})
