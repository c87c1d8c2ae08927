import assert from 'node:assert/strict'
import { existsSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { makeSigningKey, signingAlgorithms, toPublicKeySet } from '../../src/auth/signing.ts'
import { openSigningKeyStore } from '../../src/storage/open.ts'
import { describe, describeOnce, newDatabase } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { holdfastProgram, run, runHoldfast, runInProcess, startServer } from '../support/process.ts'
import { decodeClaims, decodeSegment, makeKey, publicUrl } from '../support/tokens.ts'

/** Each test starts processes. */
const concurrency = 4
const url = `${publicUrl}/v1/banking/customer/c1/accounts`

/** Commands on a database of the test's own. */
async function openPlatform(t: TestContext) {
  const folder = await temporaryFolder(t)
  const database = await newDatabase(t)
  const run = async (...args: string[]) => {
    const { status, stdout, stderr } = await runInProcess([...args, '--database', database])
    assert.equal(status, 0, stderr)
    assert.equal(stderr, '')
    return stdout
  }
  // An id may start with a dash.
  const retire = (id: string) => runInProcess(['keys', 'retire', '--database', database, '--', id])
  return { folder, database, run, retire }
}

describe('holdfast keys', { concurrency }, () => {
  it('adds keys, lists the newest first and retires them', async (t) => {
    const { run, retire } = await openPlatform(t)
    assert.equal(await run('keys', 'list'), '')

    const first = (await run('keys', 'add')).trimEnd()
    const second = (await run('keys', 'add', '--algorithm', 'EdDSA')).trimEnd()
    assert.match(first, /^\d{4}-\d\d-\d\d-[\w-]{12}$/)
    const retired = await retire(first)
    assert.equal(retired.status, 0)
    assert.match(retired.stderr, /^warning: this was the last key for PS256 or ES256/)

    const lines = (await run('keys', 'list')).trimEnd().split('\n')
    assert.equal(lines.length, 2)
    assert.match(lines[0] ?? '', new RegExp(`^${second} +EdDSA +created \\S+ +active$`))
    assert.match(lines[1] ?? '', new RegExp(`^${first} +ES256 +created \\S+ +retired \\S+$`))
    assert.equal((await retire(first)).status, 1)
  })

  it('begins an id with a digit, so that no id looks like a flag', async () => {
    const { id } = await makeSigningKey('ES256', Temporal.Now.instant())

    assert.match(id, /^\d/)
  })

  it('never prints the private part of a key', async (t) => {
    const { run } = await openPlatform(t)
    const printed = [await run('keys', 'add'), await run('keys', 'list')].join('')

    assert.doesNotMatch(printed, /"|\bd\b|kty|[\w-]{44}/)
  })

  for (const algorithm of signingAlgorithms) {
    it(`exports a private ${algorithm} key that only its owner can access, and that signs`, async (t) => {
      const { run, folder, database } = await openPlatform(t)
      const id = (await run('keys', 'add', '--algorithm', algorithm)).trimEnd()
      const file = join(folder, 'platform.jwk')

      assert.equal(await run('keys', 'export', id, '--output', file), `${file}\n`)
      const signed = await run('token', url, '--key', file)

      assert.equal(statSync(file).mode & 0o777, 0o600)
      const { kid, alg, use, d } = JSON.parse(readFileSync(file, 'utf8'))
      assert.deepEqual({ kid, alg, use }, { kid: id, alg: algorithm, use: 'sig' })
      assert.equal(typeof d, 'string')
      const store = await openSigningKeyStore(database)
      const keys = createLocalJWKSet(toPublicKeySet(await store.list()))
      await store.close()
      assert.equal((await jwtVerify(signed.trimEnd(), keys)).payload.aud, url)
    })
  }

  for (const [name, args, expected] of [
    ['an unknown key', ['retire', 'nothing'], 1],
    ['the export of an unknown key', ['export', 'nothing'], 1],
    ['an export without a key', ['export'], 2],
    ['no key', ['retire'], 2],
    ['an unknown algorithm', ['add', '--algorithm', 'HS256'], 2],
    ['an unknown command', ['frobnicate'], 2],
  ] as const) {
    it(`rejects ${name}`, async (t) => {
      const { database } = await openPlatform(t)

      const { status, stdout, stderr } = await runInProcess([
        'keys',
        ...args,
        '--database',
        database,
      ])

      assert.deepEqual([status, stdout], [expected, ''])
      assert.match(stderr, /^\S.*\n/)
    })
  }
})

describeOnce('holdfast keys export', { concurrency }, () => {
  /** A platform with a key, and a function that exports it. */
  async function openWithKey(t: TestContext) {
    const { run, retire, folder, database } = await openPlatform(t)
    const id = (await run('keys', 'add')).trimEnd()
    const file = join(folder, 'platform.jwk')
    const exportKey = (flags: readonly string[], output = {}) =>
      runInProcess(['keys', 'export', id, '--database', database, ...flags], {}, output)
    return { id, file, folder, database, retire, exportKey }
  }

  it('does not replace a file, a link or a file that others can read, except with --force', async (t) => {
    const { file, folder, exportKey } = await openWithKey(t)
    const [link, target] = [join(folder, 'link.jwk'), join(folder, 'target')]
    await writeFile(file, 'precious', { mode: 0o644 })
    await writeFile(target, 'precious')
    symlinkSync(target, link)

    for (const path of [file, link]) {
      const { status, stdout, stderr } = await exportKey(['--output', path])
      assert.deepEqual([status, stdout], [1, ''])
      assert.equal(stderr, `${path} already exists: choose another file, or use --force\n`)
      assert.equal(readFileSync(path, 'utf8'), 'precious')

      assert.equal((await exportKey(['--output', path, '--force'])).status, 0)
      assert.equal(lstatSync(path).mode & 0o777, 0o600)
      assert.equal(JSON.parse(readFileSync(path, 'utf8')).kty, 'EC')
    }
    assert.equal(readFileSync(target, 'utf8'), 'precious')
    assert.deepEqual(readdirSync(folder).sort(), ['link.jwk', 'platform.jwk', 'target'])
  })

  it('names the file after the key by default, regardless of the umask', async (t) => {
    const { id, folder, database } = await openWithKey(t)
    const script = 'umask 000; exec "$0" "$@"'
    const command = [process.execPath, holdfastProgram, 'keys', 'export', id]
    const flags = ['--database', database]

    const { status, stdout } = await run(['sh', '-c', script, ...command, ...flags], {
      cwd: folder,
    })

    assert.deepEqual([status, stdout], [0, `${id}.jwk\n`])
    assert.equal(statSync(join(folder, `${id}.jwk`)).mode & 0o777, 0o600)
  })

  it('writes the key to a pipe on request, and never to a terminal', async (t) => {
    const { id, exportKey } = await openWithKey(t)

    const piped = await exportKey(['--output', '-'])
    const shown = await exportKey(['--output', '-'], { isOutputTerminal: true })

    assert.deepEqual([piped.status, JSON.parse(piped.stdout).kid], [0, id])
    assert.deepEqual([shown.status, shown.stdout], [2, ''])
    assert.match(shown.stderr, /not printed to a terminal/)
  })

  it('reports a file that cannot be written', async (t) => {
    const { folder, exportKey } = await openWithKey(t)

    for (const [path, reason] of [
      [join(folder, 'missing', 'key.jwk'), 'no such file or directory'],
      [folder, 'it is a directory'],
    ] as const) {
      const { status, stdout, stderr } = await exportKey(['--output', path, '--force'])
      assert.deepEqual([status, stdout], [1, ''])
      assert.equal(stderr, `${path} cannot be written: ${reason}\n`)
    }
    assert.deepEqual(readdirSync(folder), [])
  })

  it('does not export a retired key', async (t) => {
    const { id, file, retire, exportKey } = await openWithKey(t)
    await retire(id)

    const { status, stderr } = await exportKey(['--output', file])

    assert.deepEqual([status, existsSync(file)], [1, false])
    assert.match(stderr, /no active key/)
  })
})

describeOnce('holdfast token', { concurrency }, () => {
  it('prints a token and nothing else, without the query in its audience', async (t) => {
    const { run } = await openPlatform(t)
    const id = (await run('keys', 'add')).trimEnd()

    const printed = await run('token', `${url}?page=2#x`, '--subdomain', 'bank')

    assert.match(printed, /^[\w-]+\.[\w-]+\.[\w-]+\n$/)
    const { iss, sub, aud, exp, jti } = decodeClaims(printed.trimEnd())
    assert.deepEqual({ iss, sub, aud }, { iss: 'bank', sub: 'bank', aud: url })
    assert.ok(Number(exp) > Date.now() / 1000 && Number(exp) < Date.now() / 1000 + 3600)
    assert.match(String(jti), /^[0-9a-f-]{36}$/)
    assert.equal(JSON.parse(decodeSegment(printed, 0)).kid, id)
  })

  it('prints the same in a separate process', async (t) => {
    const { database, run } = await openPlatform(t)
    await run('keys', 'add')

    const { status, stdout, stderr } = await runHoldfast(['token', url, '--database', database])

    assert.deepEqual([status, stderr], [0, ''])
    assert.match(stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/)
  })

  it('prints a different jti every time', async (t) => {
    const { run } = await openPlatform(t)
    await run('keys', 'add')

    const ids = [decodeClaims(await run('token', url)), decodeClaims(await run('token', url))]

    assert.notEqual(ids[0]?.['jti'], ids[1]?.['jti'])
  })

  it('signs with the newest key in use', async (t) => {
    const { run, retire } = await openPlatform(t)
    const first = (await run('keys', 'add')).trimEnd()
    const second = (await run('keys', 'add')).trimEnd()
    const kid = async () => JSON.parse(decodeSegment(await run('token', url), 0)).kid

    assert.equal(await kid(), second)
    await retire(second)
    assert.equal(await kid(), first)
  })

  it('signs with a key from a file', async (t) => {
    const { folder, run } = await openPlatform(t)
    const { privateKey } = makeKey('EdDSA', 'mine')
    const jwk = { ...privateKey.export({ format: 'jwk' }), kid: 'mine', alg: 'EdDSA' }
    await writeFile(join(folder, 'key.jwk'), JSON.stringify(jwk))

    const printed = await run('token', url, '--key', join(folder, 'key.jwk'))

    assert.deepEqual(JSON.parse(decodeSegment(printed, 0)), {
      alg: 'EdDSA',
      kid: 'mine',
      typ: 'JWT',
    })
  })

  const { privateKey, jwk } = makeKey('ES256', 'k1')
  for (const [name, content] of Object.entries({
    'that is not JSON': 'x',
    'that is null': 'null',
    'without a kid': JSON.stringify({ ...privateKey.export({ format: 'jwk' }), alg: 'ES256' }),
    'without an alg': JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid: 'k1' }),
    'that is public': JSON.stringify({ ...jwk, alg: 'ES256' }),
    'for an unknown alg': JSON.stringify({
      ...privateKey.export({ format: 'jwk' }),
      kid: 'k1',
      alg: 'XY1',
    }),
    'that is invalid': '{"kty":"EC","crv":"P-256","kid":"k1","alg":"ES256","d":"x"}',
  })) {
    it(`rejects a key file ${name}`, async (t) => {
      const { folder } = await openPlatform(t)
      const file = join(folder, 'key.jwk')
      await writeFile(file, content)

      const { status, stdout, stderr } = await runInProcess(['token', url, '--key', file])

      assert.deepEqual([status, stdout], [2, ''])
      assert.match(stderr, /^\S.*\n/)
    })
  }

  for (const [name, args, expected] of [
    ['no resource', [], 2],
    ['a resource that is a path', ['/v1/x'], 2],
    ['two resources', [url, url], 2],
    ['an empty subdomain', [url, '--subdomain', ''], 2],
    ['a key file that does not exist', [url, '--key', 'nowhere.jwk'], 2],
    ['a database without a key', [url], 1],
  ] as const) {
    it(`rejects ${name}`, async (t) => {
      const { database } = await openPlatform(t)

      const { status, stdout, stderr } = await runInProcess([
        'token',
        ...args,
        '--database',
        database,
      ])

      assert.deepEqual([status, stdout], [expected, ''])
      assert.match(stderr, /^\S.*\n/)
    })
  }
})

describeOnce('holdfast serve', { concurrency }, () => {
  it('does not start a provider without the settings that tokens are verified with, and names all three', async () => {
    const { status, stdout, stderr } = await runHoldfast(['serve', 'provider', '--port', '0'])

    assert.deepEqual([status, stdout], [2, ''])
    for (const name of ['SUBDOMAIN', 'JWKS_URL', 'PROVIDER_URL']) {
      assert.match(stderr, new RegExp(`HOLDFAST_${name}\\b`))
    }
  })

  it('publishes the keys in use without private members, and allows caching', async (t) => {
    const { run, retire, database } = await openPlatform(t)
    const ids: string[] = []
    for (const algorithm of signingAlgorithms) {
      ids.unshift((await run('keys', 'add', '--algorithm', algorithm)).trimEnd())
    }
    const [retired = '', ...inUse] = ids
    await retire(retired)
    const { address } = await startServer(t, ['serve', 'platform'], { database })

    const response = await fetch(`${address}/.well-known/jwks.json`)
    const { keys } = (await response.json()) as { keys: Record<string, unknown>[] }

    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type') ?? '', /^application\/(jwk-set\+)?json\b/)
    assert.match(response.headers.get('cache-control') ?? '', /\bmax-age=[1-9]\d*\b/)
    assert.deepEqual(keys.map(({ kid }) => kid).sort(), inUse.sort())
    const known = ['kty', 'crv', 'x', 'y', 'n', 'e', 'kid', 'alg', 'use']
    for (const key of keys) {
      assert.deepEqual(
        Object.keys(key).filter((name) => !known.includes(name)),
        [],
      )
      assert.equal(key['use'], 'sig')
    }
  })
})
