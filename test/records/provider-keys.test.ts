import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import { openDeployment } from '../support/deployment.ts'
import { createScope, describe, describeOn } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import type { LocalServer } from '../support/local-server.ts'
import { runInProcess } from '../support/process.ts'
import { accountsPath } from '../support/small-bank.ts'
import { openRecordCommands } from './recording.ts'

const openKeyCommands =
  (database: string) =>
  (...args: readonly string[]) =>
    runInProcess(['keys', ...args, '--of', 'provider', '--database', database])

/** The keys that signed the heads of a server, in order. */
const signers = (server: LocalServer) =>
  server
    .log()
    .filter(({ msg }) => msg === 'records of disclosures signed')
    .map(({ statement }) => decodeProtectedHeader(String(statement)).kid)

describe('the keys of a provider that records answers', () => {
  it('can be replaced while it runs, and the records remain verifiable', async (t) => {
    const scope = createScope(t)
    const { database, openProvider, ask } = await openDeployment(scope)
    const run = openKeyCommands(database)
    const server = await openProvider({ records: 'true' })
    await (await ask(server, accountsPath)).text()
    const [first = ''] = (await run('list')).stdout.split(' ')

    const second = (await run('add')).stdout.trim()
    const retired = await run('retire', first)
    await (await ask(server, accountsPath)).text()
    await server.close()

    assert.deepEqual([retired.status, retired.stderr], [0, ''])
    assert.deepEqual(signers(server), [first, second])
    const lines = (await run('list')).stdout.trimEnd().split('\n')
    assert.match(lines[0] ?? '', new RegExp(`^${second} .* active$`))
    assert.match(lines[1] ?? '', new RegExp(`^${first} .* retired \\S+$`))
    const verified = await openRecordCommands(database).run('verify')
    assert.equal(verified.status, 0, verified.stdout)
    assert.match(verified.stdout, /^verified 2 records /)
  })

  it('are never without one in use', async (t) => {
    const scope = createScope(t)
    const { database, openProvider } = await openDeployment(scope)
    const run = openKeyCommands(database)
    await openProvider({ records: 'true' })
    const [only = ''] = (await run('list')).stdout.split(' ')

    const last = await run('retire', only)
    const unknown = await run('retire', 'unknown')

    assert.equal(last.status, 1)
    assert.match(last.stderr, /this is the last key.*holdfast keys add --of provider/)
    assert.equal(unknown.status, 1)
    assert.match(unknown.stderr, /no active key with this ID: run holdfast keys list --of provider/)
    assert.match((await run('list')).stdout, / active\n$/)
  })

  it('are not those of the platform on the same database', async (t) => {
    const scope = createScope(t)
    const { database, openProvider } = await openDeployment(scope)
    await openProvider({ records: 'true' })

    const { stdout } = await runInProcess(['keys', 'list', '--database', database])

    assert.equal(stdout, '')
  })
})

describeOn('sqlite', 'the command for the keys of a provider', () => {
  it('creates no database', async (t) => {
    const file = join(await temporaryFolder(t), 'new.db')
    const run = openKeyCommands(`sqlite:${file}`)

    for (const args of [['add'], ['list'], ['list', '--create']]) {
      const { status, stdout } = await run(...args)
      assert.deepEqual([status, stdout], [1, ''], args.join(' '))
    }

    assert.equal(existsSync(file), false)
  })
})
