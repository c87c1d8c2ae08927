import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createDatabase } from '../../src/storage/open.ts'
import { minimalProduct } from '../catalogue/products.ts'
import { openDatabaseFile } from '../support/database-file.ts'
import { openDeployment } from '../support/deployment.ts'
import { createScope, describeOn, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Answer, send } from '../support/http.ts'
import { loadInProcess } from '../support/load.ts'
import { callPlatform, productsPath, requestToken } from '../support/platform.ts'
import { makePostgres } from '../support/postgres.ts'
import { accountsPath, smallBankLines } from '../support/small-bank.ts'
import { keepLog, onSmallDisks, openSmallDisk } from '../support/small-disk.ts'

/** Opens a provider and a platform on one database: in this process, or each in one of its own. */
async function openBank(scope: Scope, database: string, inProcesses = false) {
  await loadInProcess(database, smallBankLines)
  const deployment = await openDeployment(scope, database)
  const credentials = await deployment.addClient()
  const quiet = { 'log-level': 'silent' }
  const { startProvider, startPlatform, openProvider, openPlatform } = deployment
  const [provider, platform] = inProcesses
    ? [await startProvider(quiet), await startPlatform(quiet)]
    : [await openProvider(quiet), await openPlatform(quiet)]
  const mint = () => deployment.mint(accountsPath)
  return {
    provider,
    caller: callPlatform(platform.port, await requestToken(platform.port, credentials)),
    processIds: [provider, platform].flatMap((server) => ('pid' in server ? [server.pid] : [])),
    mint,
    /** Sends a request to the provider, which needs the data and the replay records. */
    ask: (token = mint()) =>
      send(provider.port, accountsPath, { headers: ['authorization', `Bearer ${token}`] }),
  }
}

type Bank = Awaited<ReturnType<typeof openBank>>

function assertUnavailable({ status, text, headers }: Answer): void {
  assert.deepEqual([status, text], [503, '{"error":"Service unavailable"}'])
  assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
}

/** Repeats a request until it succeeds. Until then, it must get a 503. */
async function untilAvailable(request: () => Promise<Answer>, expected: number): Promise<void> {
  for (;;) {
    const answer = await request()
    if (answer.status === expected) return
    assertUnavailable(answer)
    await setTimeout(5)
  }
}

/** Asserts that both servers recover without a restart. */
async function assertRecovers(t: TestContext, bank: Bank): Promise<void> {
  const since = performance.now()
  const { caller } = bank
  await untilAvailable(() => bank.ask(), 200)
  await untilAvailable(() => caller.get(productsPath), 200)
  await untilAvailable(() => caller.create(minimalProduct), 201)
  t.diagnostic(`recovered after ${Math.round(performance.now() - since)} ms`)
}

describeOn('postgres', 'while PostgreSQL is unreachable', () => {
  it('both servers respond with 503, and recover with it', async (t) => {
    const scope = createScope(t)
    const server = await makePostgres({ durable: true })
    scope.after(() => server.remove())
    await server.start()
    await createDatabase(server.url(), { partitions: 2 })
    const bank = await openBank(scope, server.url())
    const { caller } = bank

    for (const how of ['fast', 'crash'] as const) {
      const token = bank.mint()
      assert.equal((await bank.ask(token)).status, 200)
      const id = await caller.made(minimalProduct)
      // Writes are in flight when it stops.
      const inFlight = Array.from({ length: 50 }, () => caller.create(minimalProduct))

      await server.stop(how)
      for (const { status } of await Promise.all(inFlight)) assert.ok([201, 503].includes(status))
      for (let turn = 0; turn < 3; turn += 1) {
        assertUnavailable(await bank.ask())
        assertUnavailable(await caller.get(productsPath))
        assertUnavailable(await caller.create(minimalProduct))
        assertUnavailable(await caller.replace(id, minimalProduct))
        assertUnavailable(await caller.get('/.well-known/jwks.json'))
      }
      await server.start()

      await assertRecovers(t, bank)
      assert.equal((await bank.ask(token)).status, 401, 'a used token stays used')
      assert.equal((await caller.read(id))['name'], 'Saver')
    }
  })
})

describeOn('sqlite', 'while another process locks the files', () => {
  it('both servers respond with 503 after five seconds to requests that write, and recover immediately', async (t) => {
    const scope = createScope(t)
    const file = join(await temporaryFolder(scope), 'bank.db')
    const bank = await openBank(scope, `sqlite:${file}`)
    const { caller } = bank
    assert.equal((await bank.ask()).status, 200)
    const locks = [file, `${file}-replay`].map((path) => openDatabaseFile(path))
    scope.after(async () => {
      for (const database of locks) database.close()
    })
    for (const database of locks) database.exec('begin exclusive')
    const token = bank.mint()

    const waiting = Promise.all([bank.ask(token), caller.create(minimalProduct)])
    // Other requests are not delayed.
    for (let turn = 0; turn < 20; turn += 1) {
      assert.equal((await send(bank.provider.port, accountsPath)).status, 401)
      assert.equal((await caller.get(productsPath)).status, 200)
    }
    for (const answer of await waiting) assertUnavailable(answer)
    for (const database of locks) database.exec('rollback')

    await assertRecovers(t, bank)
    assert.equal(
      (await bank.ask(token)).status,
      200,
      'a token of a request that got a 503 is not used',
    )
  })
})

/** A file system on which writing can be made to fail. */
interface Disk {
  readonly folder: string
  fill(bank: Bank): void
  free(bank: Bank): void
}

/** Limits the size of files, which requires no privileges and fails in a different way than a full disk. */
function limitFileSizes(_scope: Scope, folder: string): Disk {
  const limit = ({ processIds }: Bank, bytes: string) => {
    for (const pid of processIds) {
      execFileSync('prlimit', ['--pid', `${pid}`, `--fsize=${bytes}:`])
      assert.match(readFileSync(`/proc/${pid}/limits`, 'utf8'), new RegExp(`size +${bytes} `))
    }
  }
  return {
    folder,
    fill: (bank) => limit(bank, '0'),
    free: (bank) => limit(bank, 'unlimited'),
  }
}

testWhile('files cannot grow', limitFileSizes, true)
onSmallDisks('while the disk is full', () => {
  testWhile('the disk is full', (scope) => openSmallDisk(scope, 32), false)
})

function testWhile(
  name: string,
  open: (scope: Scope, folder: string) => Disk,
  inProcesses: boolean,
): void {
  describeOn('sqlite', `while ${name}`, () => {
    it('both servers respond with 503, and recover when there is space', async (t) => {
      const scope = createScope(t)
      const disk = open(scope, await temporaryFolder(scope))
      const bank = await openBank(scope, `sqlite:${join(disk.folder, 'bank.db')}`, inProcesses)
      const { caller } = bank
      const used = bank.mint()
      assert.equal((await bank.ask(used)).status, 200)
      const id = await caller.made(minimalProduct)

      for (const name of ['bank.db', 'bank.db-replay']) keepLog(scope, join(disk.folder, name))
      disk.fill(bank)
      await untilUnavailable(() => bank.ask())
      await untilUnavailable(() => caller.create(minimalProduct))
      const token = bank.mint()
      for (let turn = 0; turn < 3; turn += 1) {
        assertUnavailable(await bank.ask(token))
        assertUnavailable(await caller.create(minimalProduct))
        assert.equal((await caller.read(id))['name'], 'Saver', 'requests that do not write succeed')
      }
      disk.free(bank)

      await assertRecovers(t, bank)
      assert.equal(
        (await bank.ask(token)).status,
        200,
        'a token of a request that got a 503 is not used',
      )
      assert.equal((await bank.ask(used)).status, 401, 'a used token stays used')
    })
  })
}

/** Repeats a request until it gets a 503: files that exist may have free space left. */
async function untilUnavailable(request: () => Promise<Answer>): Promise<void> {
  for (;;) {
    const answer = await request()
    if (answer.status === 503) return assertUnavailable(answer)
    assert.ok(answer.status < 300, answer.text)
  }
}
