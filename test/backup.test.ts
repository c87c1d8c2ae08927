import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it, type TestContext } from 'node:test'
import { backupDatabase, openReplayStore } from '../src/storage/open.ts'
import { ask } from './serve/traffic.ts'
import { type Deployment, openDeployment } from './support/deployment.ts'
import { createScope, describeOn } from './support/engines.ts'
import { temporaryFolder } from './support/folder.ts'
import { holdfastProgram, run, runInProcess, type Server } from './support/process.ts'
import { accountsPath, createSmallBank } from './support/small-bank.ts'
import { onSmallDisks, openSmallDisk } from './support/small-disk.ts'
import { until } from './support/until.ts'

const guide = readFileSync(new URL('../docs/guides/deploy.md', import.meta.url), 'utf8')
const clock = () => Temporal.Now.instant()

function pathOf(database: string): string {
  return database.slice('sqlite:'.length)
}

/** A database that was served, and a target for copies. */
async function servedBank(t: TestContext) {
  const scope = createScope(t)
  const database = await createSmallBank(scope)
  const replay = await openReplayStore(database, clock)
  await replay.recordUse('used', 4_000_000_000)
  await replay.close()
  const folder = await temporaryFolder(scope)
  const target = join(folder, 'copies/bank.db')
  const backup = (...flags: readonly string[]) =>
    runInProcess(['backup', target, '--database', database, ...flags])
  return { database, folder, target, backup }
}

describeOn('sqlite', 'a backup', () => {
  it('is a copy of both files, for their owner alone, that can be loaded and served', async (t) => {
    const { database, target, backup } = await servedBank(t)

    const { status, stdout, stderr } = await backup()

    assert.deepEqual(
      { status, stdout, stderr },
      { status: 0, stdout: `${target}\n${target}-replay\n`, stderr: '' },
    )
    assert.deepEqual(readdirSync(dirname(target)).sort(), ['bank.db', 'bank.db-replay'])
    for (const file of [target, `${target}-replay`]) {
      assert.equal(statSync(file).mode & 0o777, 0o600)
    }
    const dump = (address: string) => runInProcess(['dump', '--database', address])
    assert.deepEqual(await dump(`sqlite:${target}`), await dump(database))
    const replay = await openReplayStore(`sqlite:${target}`, clock)
    t.after(() => replay.close())
    assert.equal(await replay.recordUse('used', 4_000_000_000), 'used before')
  })

  it('replaces an earlier backup only with --force', async (t) => {
    const { target, backup } = await servedBank(t)
    mkdirSync(dirname(target))
    writeFileSync(`${target}-replay`, 'kept')

    const rejected = await backup()
    assert.equal(rejected.status, 1)
    assert.match(rejected.stderr, /^\/.*bank\.db-replay exists: .*--force\n$/)
    assert.deepEqual(readdirSync(dirname(target)), ['bank.db-replay'])
    assert.equal(readFileSync(`${target}-replay`, 'utf8'), 'kept')

    assert.equal((await backup('--force')).status, 0)
    assert.equal((await backup('--force')).status, 0)
    assert.deepEqual(readdirSync(dirname(target)).sort(), ['bank.db', 'bank.db-replay'])
  })

  it('never replaces the files of an open database, its own or another', async (t) => {
    const { database, target, backup } = await servedBank(t)
    for (const file of [pathOf(database), `${pathOf(database)}-replay`]) {
      const own = await runInProcess(['backup', file, '--force', '--database', database])
      assert.equal(own.status, 1)
      assert.match(own.stderr, /belongs to the database itself/)
    }
    assert.equal((await backup()).status, 0)
    const replay = await openReplayStore(`sqlite:${target}`, clock)
    t.after(() => replay.close())

    const { status, stderr } = await backup('--force')

    assert.equal(status, 1)
    assert.match(stderr, /-wal exists: .* is in use as a database\n$/)
  })

  it('leaves no files if it fails or is stopped', async (t) => {
    const { database, target, backup } = await servedBank(t)
    await assert.rejects(
      backupDatabase(database, target, { force: false, signal: AbortSignal.abort() }),
      { name: 'AbortError' },
    )
    assert.deepEqual(readdirSync(dirname(target)), [])
    rmSync(`${pathOf(database)}-replay`)

    const { status, stderr } = await backup()

    assert.equal(status, 1)
    assert.match(stderr, /^the replay file .* is missing: /)
    assert.deepEqual(readdirSync(dirname(target)), [])
  })

  onSmallDisks('a backup to a full disk', () => {
    it('fails in one line and leaves no files', async (t) => {
      const { database } = await servedBank(t)
      const disk = openSmallDisk(t, 1)
      disk.fill()
      const before = readdirSync(disk.folder)
      const target = join(disk.folder, 'bank.db')

      const { status, stderr } = await runInProcess(['backup', target, '--database', database])

      assert.equal(status, 1)
      assert.match(stderr, /^the backup \/.*bank\.db cannot be written: [^\n]+\n$/)
      assert.deepEqual(readdirSync(disk.folder), before)
    })
  })

  it('of a database that was never served has no replay file', async (t) => {
    const database = await createSmallBank(t)
    const target = join(await temporaryFolder(t), 'bank.db')

    const { status, stdout } = await runInProcess(['backup', target, '--database', database])

    assert.deepEqual([status, stdout], [0, `${target}\n`])
    assert.deepEqual(readdirSync(dirname(target)), ['bank.db'])
  })
})

/** Clients that use one token after another, and the tokens that were used. */
function startClients(deployment: Deployment, served: Server) {
  const used: string[] = []
  let isStopped = false
  const clients = Array.from({ length: 4 }, async () => {
    while (!isStopped) {
      const token = deployment.mint(accountsPath)
      const { status } = await ask(served, token)
      assert.equal(status, 200)
      used.push(token)
    }
  })
  return {
    used,
    more: (count: number) => {
      const enough = used.length + count
      return until(() => used.length >= enough)
    },
    async stop() {
      isStopped = true
      await Promise.all(clients)
    },
  }
}

describeOn('sqlite', 'the backup guide', () => {
  it('has commands that restore every used token', async (t) => {
    const deployment = await openDeployment(t)
    const folder = await temporaryFolder(t)
    const [, section = ''] = guide.split(/^## Backup$/m)
    const [commands = ''] = section.split(/^## /m)
    const lines = [...commands.matchAll(/```console\n(.*?)```/gs)].flatMap(([, block = '']) =>
      block.replaceAll('\\\n', '').trim().split('\n'),
    )
    const home = dirname(pathOf(deployment.database))
    assert.equal(basename(pathOf(deployment.database)), 'bank.db')
    const runLine = async (line: string) => {
      const here = line
        .replaceAll('/var/lib/holdfast', home)
        .replaceAll('/var/backups/holdfast', join(folder, 'backups'))
        .replace('/opt/holdfast/bin/holdfast.js', `'${process.execPath}' '${holdfastProgram}'`)
        .replace('runuser -u holdfast -- ', '')
        .replace('-o holdfast -g holdfast ', '')
      const { status, stderr } = await run(['sh', '-c', here], {
        environment: { PATH: process.env['PATH'] },
      })
      assert.equal(status, 0, `${here}\n${stderr}`)
    }
    let served = await deployment.startProvider()
    const load = new DatabaseSync(pathOf(deployment.database))
    load.exec("begin immediate; update customer set record = 'not committed'")
    const clients = startClients(deployment, served)
    await clients.more(20)
    const used = [...clients.used]
    const isStop = (line: string) => line === 'systemctl stop holdfast@provider'

    for (const line of lines.slice(0, lines.findIndex(isStop))) await runLine(line)
    await clients.more(20)
    await clients.stop()
    load.close()
    for (const line of lines.slice(lines.findIndex(isStop))) {
      if (isStop(line)) await served.kill()
      else if (line === 'systemctl start holdfast@provider')
        served = await deployment.startProvider()
      else await runLine(line)
    }

    const answers = await Promise.all(used.map((token) => ask(served, token)))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [401])
    assert.equal((await ask(served, deployment.mint(accountsPath))).status, 200)
    assert.deepEqual(
      lines.filter((line) => line.includes(' backup ')).length > 0 && lines.some(isStop),
      true,
    )
  })
})
