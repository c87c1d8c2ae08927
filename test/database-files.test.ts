import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { openReplayStore } from '../src/storage/open.ts'
import {
  createScope,
  currentEngine,
  describe,
  describeOn,
  postgresUrl,
  runSql,
} from './support/engines.ts'
import { temporaryFolder } from './support/folder.ts'
import { runHoldfast, runInProcess, startServer } from './support/process.ts'
import { until } from './support/until.ts'

/** An address without a database: no file, or no tables. */
async function missingDatabase(t: TestContext): Promise<string> {
  if (currentEngine() === 'sqlite') return `sqlite:${join(await temporaryFolder(t), 'new/bank.db')}`
  const name = `bare_${randomBytes(8).toString('hex')}`
  await runSql(`create database ${name}`)
  t.after(() => runSql(`drop database ${name} with (force)`))
  return new URL(name, await postgresUrl()).href
}

async function isCreated(database: string): Promise<boolean> {
  if (currentEngine() === 'sqlite') return existsSync(pathOf(database))
  const [row] = await runSql(`select to_regclass('customer')::text`, database)
  return row?.[0] === 'customer'
}

function pathOf(database: string): string {
  return database.slice('sqlite:'.length)
}

/** A file with one customer. */
async function dataFile(t: TestContext): Promise<string> {
  const path = join(await temporaryFolder(t), 'data.ndjson')
  const record = { id: 'c1', name: 'Ana Silva', email: 'ana@example.com' }
  writeFileSync(path, `${JSON.stringify({ type: 'customer', record })}\n`)
  return path
}

const provider = [
  ...['serve', 'provider', '--port', '0', '--subdomain', 'bank'],
  ...['--jwks-url', 'http://127.0.0.1:1/', '--provider-url', 'https://bank.example'],
]

describe('a database that does not exist', () => {
  for (const args of [
    ['dump'],
    ['keys', 'list'],
    ['keys', 'retire', 'k1'],
    ['client', 'list'],
    ['client', 'rotate', 'c1'],
    ['client', 'remove', 'c1'],
    ['products', 'list'],
    ['products', 'restore', 'p1', '--version', '1'],
    ['token', 'https://bank.example/'],
    provider,
    ['serve', 'platform', '--port', '0'],
    ['backup', 'copy.db'],
  ]) {
    it(`is not created by ${args.slice(0, 2).join(' ')}`, async (t) => {
      const database = await missingDatabase(t)

      const { status, stdout, stderr } = await runInProcess([...args, '--database', database])

      assert.equal(stdout, '')
      assert.equal(await isCreated(database), false)
      if (args[0] === 'backup' && currentEngine() === 'postgres') {
        assert.deepEqual([status, /pg_dump/.test(stderr)], [2, true], stderr)
      } else {
        assert.equal(status, 1)
        assert.match(stderr, /^[^\n]+: check the [^\n]* holdfast load [^\n]*--create\n$/)
      }
    })
  }

  for (const args of [
    ['load'],
    ['keys', 'add'],
    ['client', 'add', 'pricing', '--scope', 'products.write'],
    ['keys', 'list', '--create'],
    ['client', 'list', '--create'],
    ['dump', '--create'],
  ]) {
    it(`is created by ${args.join(' ')}, and used by the next command`, async (t) => {
      const database = await missingDatabase(t)
      const files = args[0] === 'load' ? [await dataFile(t)] : []

      const { status, stderr } = await runInProcess([...args, ...files, '--database', database])

      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
      assert.equal((await runInProcess(['dump', '--database', database])).status, 0)
    })
  }
})

describeOn('sqlite', 'a server with --create', () => {
  it('creates the database once, and not for a worker that starts later', async (t) => {
    const scope = createScope(t)
    const path = join(await temporaryFolder(scope), 'bank.db')
    const served = await startServer(scope, ['serve', 'provider'], {
      database: `sqlite:${path}`,
      create: '',
      workers: '2',
      subdomain: 'bank',
      'jwks-url': 'http://127.0.0.1:1/',
      'provider-url': 'https://bank.example',
    })
    assert.ok(existsSync(path))
    rmSync(path)

    process.kill(served.workers()[0] ?? 0, 'SIGKILL')

    await until(() => served.stderr().includes('database not found at '), served.stderr)
    assert.equal(existsSync(path), false)
  })
})

describeOn('sqlite', 'a file that is not a Holdfast database', () => {
  it('is neither used nor changed: an empty file, and the database of another program', async (t) => {
    const folder = await temporaryFolder(t)
    const [empty, foreign, versioned] = ['empty.db', 'foreign.db', 'versioned.db'].map((name) =>
      join(folder, name),
    ) as [string, string, string]
    writeFileSync(empty, '', { mode: 0o600 })
    for (const [path, version] of [
      [foreign, 0],
      [versioned, 1],
    ] as const) {
      const other = new DatabaseSync(path)
      other.exec(`create table customer (x); pragma user_version = ${version}`)
      other.close()
      chmodSync(path, 0o600)
    }

    for (const [path, command, message] of [
      [empty, 'list', /^database not found at /],
      [foreign, 'list', /another program/],
      [foreign, 'add', /another program/],
      [versioned, 'list', /another program/],
      [versioned, 'add', /another program/],
    ] as const) {
      const before = readFileSync(path)
      const { status, stderr } = await runInProcess([
        'keys',
        command,
        '--database',
        `sqlite:${path}`,
      ])
      assert.equal(status, 1)
      assert.match(stderr, message)
      assert.equal(stderr.split('\n').length, 2)
      if (path !== empty) assert.deepEqual(readFileSync(path), before)
    }
  })

  it('fails in one line if its folder cannot be created', async () => {
    const { status, stderr } = await runHoldfast([
      'keys',
      'add',
      '--database',
      'sqlite:/proc/nope/x.db',
    ])

    assert.equal(status, 1)
    assert.match(stderr, /^the database \/proc\/nope\/x\.db cannot be opened: [^\n]+\n$/)
  })
})

/** The mode of every file in a folder, and of the folder itself. */
function fileModes(folder: string): Record<string, string> {
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
  const names = readdirSync(folder).sort()
  return Object.fromEntries(
    [['.', folder], ...names.map((name) => [name, join(folder, name)])].map(
      ([name = '', path = '']) => [name, modeOf(path)],
    ),
  )
}

describeOn('sqlite', 'the files of a database', () => {
  it('are for their owner alone, independent of the umask', async (t) => {
    for (const umask of [0o000, 0o022, 0o277]) {
      const before = process.umask(umask)
      t.after(() => void process.umask(before))
      const database = `sqlite:${join(await temporaryFolder(t), 'deeper/new/bank.db')}`
      await runInProcess(['keys', 'add', '--database', database])
      const replay = await openReplayStore(database, () => Temporal.Now.instant())
      await replay.recordUse('id', 100)
      const open = new DatabaseSync(pathOf(database))
      open.prepare('select count(*) from customer').get()
      process.umask(before)

      assert.deepEqual(fileModes(join(pathOf(database), '..')), {
        '.': '700',
        'bank.db': '600',
        'bank.db-replay': '600',
        'bank.db-replay-shm': '600',
        'bank.db-replay-wal': '600',
        'bank.db-shm': '600',
        'bank.db-wal': '600',
      })
      assert.equal(fileModes(join(pathOf(database), '../..'))['.'], '700')
      open.close()
      await replay.close()
    }
  })

  it('that other users can read are named in one warning, with the command that fixes it', async (t) => {
    const database = `sqlite:${join(await temporaryFolder(t), "it's.db")}`
    await runInProcess(['keys', 'add', '--database', database])
    await (await openReplayStore(database, () => Temporal.Now.instant())).close()
    const file = pathOf(database).replace("'", "'\\''")

    for (const path of [pathOf(database), `${pathOf(database)}-replay`]) chmodSync(path, 0o640)
    const loose = await runInProcess(['keys', 'list', '--database', database])
    const commands = /chmod 600 .*/.exec(loose.stderr)?.[0]
    for (const path of [pathOf(database), `${pathOf(database)}-replay`]) chmodSync(path, 0o600)
    const tight = await runInProcess(['keys', 'list', '--database', database])

    assert.match(loose.stderr, /^warning: [^\n]+\n$/)
    assert.equal(commands, `chmod 600 '${file}' '${file}-replay'`)
    assert.deepEqual([loose.status, tight.status, tight.stderr], [0, 0, ''])
  })

  it('with the errors of a load are for their owner alone', async (t) => {
    const folder = await temporaryFolder(t)
    const [data, errors] = [join(folder, 'data.ndjson'), join(folder, 'errors.txt')]
    writeFileSync(data, 'no line\n')
    const before = process.umask(0)
    t.after(() => void process.umask(before))

    const database = `sqlite:${join(folder, 'bank.db')}`
    await runInProcess(['load', data, '--errors', errors, '--database', database])

    assert.equal(statSync(errors).mode & 0o777, 0o600)
  })
})

describeOn('sqlite', 'a command on a database that it cannot write', () => {
  it('reports in one line that the file is locked when it must migrate it', async (t) => {
    const database = `sqlite:${join(await temporaryFolder(t), 'bank.db')}`
    await runInProcess(['keys', 'add', '--database', database])
    const other = new DatabaseSync(pathOf(database))
    t.after(() => other.close())
    other.exec('pragma user_version = 0; begin immediate')

    const { status, stderr } = await runHoldfast(['keys', 'add', '--database', database])

    assert.equal(status, 1)
    assert.match(
      stderr,
      /^the database \/.*bank\.db is locked by another process: a migration may be running[^\n]*\n$/,
    )
  })

  it('reports in one line that the file is read-only', async (t) => {
    const folder = await temporaryFolder(t)
    const database = `sqlite:${join(folder, 'bank.db')}`
    const commands = [
      ['keys', 'add', '--database', database],
      ['client', 'add', 'pricing', '--scope', 'products.write', '--database', database],
    ]
    for (const args of commands) assert.equal((await runInProcess(args)).status, 0)

    for (const folderMode of [0o500, 0o700]) {
      for (const args of commands) {
        const { status, stderr } = await withoutRights(folder, folderMode, () => runInProcess(args))

        assert.equal(status, 1)
        assert.match(stderr, /^the database \/.*bank\.db cannot be (opened|written): [^\n]+\n$/)
      }
    }
  })
})

/** Runs the work as the owner of read-only files. Root could write to any file, so it becomes another user. */
async function withoutRights<Result>(
  folder: string,
  folderMode: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const path = join(folder, 'bank.db')
  const isRoot = process.getuid?.() === 0
  const unprivilegedUser = 65_534
  chmodSync(path, 0o400)
  chmodSync(folder, folderMode)
  if (isRoot) for (const each of [path, folder]) chownSync(each, unprivilegedUser, unprivilegedUser)
  if (isRoot) process.seteuid?.(unprivilegedUser)
  try {
    return await work()
  } finally {
    if (isRoot) process.seteuid?.(0)
    chmodSync(folder, 0o700)
    for (const companion of ['-wal', '-shm']) rmSync(path + companion, { force: true })
  }
}
