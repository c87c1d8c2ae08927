import assert from 'node:assert/strict'
import { mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { describeOn, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Finished, runInProcess } from '../support/process.ts'
import { onSmallDisks, openSmallDisk } from '../support/small-disk.ts'
import { put } from './lines.ts'

const lines = [
  put.customer('c1'),
  put.account('a1', ['c1']),
  ...Array.from({ length: 500 }, (_, index) => put.transaction('a1', `t${index}`)),
]

const serve = [
  '--subdomain',
  'x',
  '--jwks-url',
  'http://127.0.0.1:1/',
  '--provider-url',
  'http://x',
]

/** Every command that opens a database. */
const commands = {
  load: ['load', 'lines.ndjson'],
  dump: ['dump'],
  'keys add': ['keys', 'add'],
  'keys list': ['keys', 'list'],
  'client add': ['client', 'add', 'x', '--scope', 'products.write'],
  'client list': ['client', 'list'],
  'products list': ['products', 'list'],
  'serve provider': ['serve', 'provider', '--port', '0', ...serve],
  'serve platform': ['serve', 'platform', '--port', '0'],
  'serve intake': ['serve', 'intake', '--port', '0'],
  feeds: ['feeds'],
  demo: ['demo', '--port', '0'],
}

type Name = keyof typeof commands

async function run(folder: string, name: Name, file: string): Promise<Finished> {
  const args = commands[name].map((arg) => (arg === 'lines.ndjson' ? join(folder, arg) : arg))
  return runInProcess([...args, '--database', `sqlite:${file}`])
}

async function openFolder(scope: Scope): Promise<string> {
  const folder = await temporaryFolder(scope)
  writeFileSync(join(folder, 'lines.ndjson'), lines.join('\n'))
  return folder
}

/** Asserts one line with the file and the reason. */
function assertReports({ status, stderr, stdout }: Finished, file: string, reason: string): void {
  assert.deepEqual([status, stdout], [1, ''])
  assert.equal(stderr.split('\n').length, 2, stderr)
  assert.ok(stderr.startsWith(`the database ${file} ${reason}`), stderr)
}

describeOn('sqlite', 'a command whose database cannot be used', () => {
  for (const name of Object.keys(commands) as Name[]) {
    it(`${name}: reports a file that is not a database`, async (t) => {
      const folder = await openFolder(t)
      const file = join(folder, 'bank.db')
      writeFileSync(file, 'not a database, but some other text'.repeat(200), {
        mode: 0o600,
      })
      const before = readFileSync(file)

      assertReports(await run(folder, name, file), file, 'is not a SQLite database')
      assert.deepEqual(readFileSync(file), before)
    })
  }

  it('reports a directory', async (t) => {
    const folder = await openFolder(t)
    const file = join(folder, 'bank.db')
    mkdirSync(file)

    assertReports(await run(folder, 'load', file), file, 'cannot be opened: ')
  })

  it('reports a path through a file', async (t) => {
    const folder = await openFolder(t)
    const file = join(folder, 'lines.ndjson', 'bank.db')

    assertReports(
      await run(folder, 'load', file),
      file,
      'cannot be opened: a part of its path is not a directory',
    )
  })

  it('reports a corrupt file, even in the middle of a dump', async (t) => {
    const folder = await openFolder(t)
    const file = join(folder, 'bank.db')
    assert.equal((await run(folder, 'load', file)).status, 0)
    const size = readFileSync(file).length
    const descriptor = openSync(file, 'r+')
    writeSync(descriptor, Buffer.alloc(size / 2, 0xaa), 0, size / 2, size / 2)

    const { status, stderr } = await run(folder, 'dump', file)

    assert.ok(
      stderr.startsWith(`the database ${file} is corrupt: restore it from a backup`),
      stderr,
    )
    assert.equal(stderr.split('\n').length, 2, stderr)
    assert.equal(status, 1)
  })

  onSmallDisks('a read-only file system', () => {
    it('reports a read-only file system', async (t) => {
      const folder = await openFolder(t)
      const disk = openSmallDisk(t, 8)
      const file = join(disk.folder, 'bank.db')
      assert.equal((await run(folder, 'load', file)).status, 0)
      disk.setWritable(false)

      for (const name of ['load', 'keys add', 'client add'] as const) {
        const { status, stderr } = await run(folder, name, file)
        assert.equal(status, 1)
        assert.match(stderr, /^the database \S+ cannot be \w+: the file system is read-only\n$/)
      }
    })
  })
})
