import assert from 'node:assert/strict'
import { existsSync, statSync } from 'node:fs'
import { it, type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openProviderStore } from '../../src/storage/open.ts'
import { type Bank, openBank, splitLines } from '../load/bank.ts'
import { line, put } from '../load/lines.ts'
import { listCorrections } from '../support/corrections.ts'
import { describe, describeOn } from '../support/engines.ts'
import { kill, type Process } from '../support/process.ts'
import { until } from '../support/until.ts'

const megabyte = 1024 * 1024

const baseLines = [put.customer('c1'), put.account('a1', ['c1'])]

/** Long descriptions, so that few lines are many bytes. */
function history(mark: string, count: number, length = 2000): string[] {
  const description = mark.padEnd(length, '.')
  return Array.from({ length: count }, (_, index) =>
    put.transaction('a1', `t${index}`, {
      description,
      postingDateTime: new Date(Date.UTC(2025, 0, 1, 0, (index * 7919) % count)).toISOString(),
    }),
  )
}

function fileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** Kills a load when the condition is met, or lets it finish. */
async function killWhen(load: Process, condition: () => boolean): Promise<void> {
  load.stdout.resume()
  load.stderr.resume()
  while (load.exitCode === null && !condition()) await setTimeout(1)
  await kill(load)
}

const before = [...baseLines, ...history('before', 100)]

/** A bank with data and a file to load, and its dump. */
async function openWithFile(t: TestContext, after: readonly string[]) {
  const bank = await openBank(t)
  bank.write('after.ndjson', after)
  await bank.fill(before)
  return { bank, first: await bank.dump() }
}

describeOn('sqlite', 'kill -9 of a load', () => {
  const written = (size: number) => (bank: Bank) =>
    fileSize(bank.path('bank.db-wal')) >= size * megabyte
  const points: readonly [string, (bank: Bank, sizeBefore: number) => boolean][] = [
    ['has just started', (bank) => fileSize(bank.path('bank.db-shm')) > 0],
    ['has written 0.1 MB', written(0.1)],
    ['has written 1.5 MB', written(1.5)],
    ['has committed', (bank, sizeBefore) => fileSize(bank.path('bank.db')) > sizeBefore],
  ]

  it('leaves the state before or after the load at any point, and the load can be repeated', async (t) => {
    const corrected = history('after', 700).map((line) => `${line.slice(0, -1)},"correction":true}`)
    const after = [put.customer('c2'), ...corrected, put.account('a2', ['c1', 'c2'])]
    const { bank, first } = await openWithFile(t, after)
    const clean = await openBank(t)
    await clean.fill(before)
    await clean.fill(after)
    const second = await clean.dump()
    const sizeBefore = fileSize(bank.path('bank.db'))
    const outcomes: string[] = []

    for (const [name, condition] of points) {
      await killWhen(bank.start(['load', 'after.ndjson']), () => condition(bank, sizeBefore))

      const dump = await bank.dump()
      assert.ok(dump === first || dump === second, `a partial state when the load ${name}`)
      const corrections = await listCorrections(bank.database())
      assert.equal(corrections.length, dump === first ? 0 : 100, `the load ${name}`)
      outcomes.push(dump === first ? 'before' : 'after')
    }
    await bank.fill(after)

    assert.ok((await bank.dump()) === second)
    assert.equal(outcomes[0], 'before')
    assert.equal(outcomes.at(-1), 'after')
    assert.deepEqual(outcomes, outcomes.toSorted().reverse())
  })

  it('leaves the state before the load when more was written than the cache holds', async (t) => {
    const after = history('after', 350, 60_000)
    const { bank, first } = await openWithFile(t, after)

    await killWhen(bank.start(['load', 'after.ndjson']), () => written(8)(bank))

    assert.ok((await bank.dump()) === first)
  })

  it('leaves the state before the load when its input is incomplete', async (t) => {
    const bank = await openBank(t)
    await bank.fill(baseLines)
    const dump = await bank.dump()
    const more = history('more', 50)

    for (const count of [0, 50]) {
      const load = bank.start(['load', '-'])
      await until(() => existsSync(bank.path('bank.db-shm')) || load.exitCode !== null)
      const part = more.slice(0, count).map((each) => `${each}\n`)
      await new Promise((resolve) => load.stdin.write(part.join(''), resolve))
      await kill(load)

      assert.equal(await bank.dump(), dump)
    }
    await bank.fill(more)
    assert.equal(splitLines(await bank.dump()).length, 52)
  })

  it('leaves a usable database when it was being created', async (t) => {
    for (const name of ['bank.db', 'bank.db-wal', 'bank.db-shm']) {
      const bank = await openBank(t)
      await killWhen(bank.start(['load', '-']), () => existsSync(bank.path(name)))

      await bank.fill(baseLines)

      assert.deepEqual(splitLines(await bank.dump()), baseLines)
    }
  })
})

describe('kill -9 of a load in batches', () => {
  const size = 100

  it('leaves complete batches, in order, and the load can be repeated', async (t) => {
    const bank = await openBank(t)
    const lines = Array.from({ length: 25 * size }, (_, index) => {
      const id = `c${String(index).padStart(5, '0')}`
      return line('customer', { id, name: 'Ana', email: 'ana@example.com' })
    })
    bank.write('customers.ndjson', lines)
    await bank.fill([])
    const store = await openProviderStore(bank.database())
    let kills = 0

    for (const batches of [1, 12]) {
      const load = bank.start(['load', 'customers.ndjson', '--batch', String(size)])
      let customers = (await store.overview()).customers
      load.stdout.resume()
      load.stderr.resume()
      while (load.exitCode === null && customers < batches * size) {
        customers = (await store.overview()).customers
        await setTimeout(5)
      }
      if (load.exitCode === null) kills += 1
      await kill(load)

      const dumped = splitLines(await bank.dump())
      assert.equal(dumped.length % size, 0)
      assert.deepEqual(dumped, lines.slice(0, dumped.length))
    }
    await store.close()
    await bank.fill(lines, '--batch', String(size))

    assert.ok(kills > 0, `${kills} loads were killed`)
    assert.deepEqual(splitLines(await bank.dump()), lines)
  })
})

describeOn('sqlite', 'kill -9 of a load in batches that waits for input', () => {
  it('stores lines before their account, and completes them with the next load', async (t) => {
    const bank = await openBank(t)
    await bank.fill([])
    const histories = history('late', 40)
    const load = bank.start(['load', '-', '--batch', '10'])
    load.stdin.write([...histories, put.customer('c1')].map((each) => `${each}\n`).join(''))
    // The batch with the customer is the last one: all earlier batches are committed.
    load.stdin.write(
      Array.from({ length: 9 }, (_, index) => `${put.product(`p${index}`)}\n`).join(''),
    )
    const store = await openProviderStore(bank.database())
    while (load.exitCode === null && (await store.overview()).customers === 0) await setTimeout(5)
    await store.close()
    await kill(load)

    const dumped = splitLines(await bank.dump())
    await bank.fill([...histories, ...baseLines], '--batch', '10')

    const early = dumped.filter((line) => line.startsWith('{"type":"banking.'))
    const products = dumped.filter((line) => line.startsWith('{"type":"product"'))
    assert.equal(products.length, 9)
    assert.deepEqual(
      early.map((line) => line.replace(',"unresolved":true', '')).toSorted(),
      histories.toSorted(),
    )
    assert.ok(early.every((line) => line.includes(',"unresolved":true')))
    const clean = await openBank(t)
    await clean.fill([...baseLines, ...histories, ...products])
    assert.equal(await bank.dump(), await clean.dump())
  })
})
