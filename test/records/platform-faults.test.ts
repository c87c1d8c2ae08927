import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createDatabase } from '../../src/storage/open.ts'
import { openCdsPlatform, share } from '../consent/cds.ts'
import { openInterceptedStore } from '../consent/intercepted-store.ts'
import type { PlatformOptions } from '../consent/platform.ts'
import { openDatabaseFile } from '../support/database-file.ts'
import { createScope, describe, describeOn, type Scope } from '../support/engines.ts'
import { makePostgres } from '../support/postgres.ts'
import { keepLog, onSmallDisks, openSmallDisk } from '../support/small-disk.ts'
import { until } from '../support/until.ts'
import { listSent, startSenders } from './load.ts'
import { openRecordCommands } from './recording.ts'

/** A platform whose third party reads accounts again and again. */
async function openReading(scope: Scope, options: PlatformOptions = {}) {
  const platform = await openCdsPlatform(scope, undefined, options)
  const { call } = await share(platform)
  const senders = startSenders(async (interactionId) => {
    const headers = { 'x-v': '3', 'x-fapi-interaction-id': interactionId }
    return (await call('/banking/accounts', { headers })).status
  })
  await until(() => senders.count(200) > 20)
  return {
    database: platform.database,
    senders,
    async untilAnswered() {
      const answered = senders.count(200)
      await until(() => senders.count(200) > answered + 20)
    },
    /** Each answer with data has its record, and each record is of an answer. */
    async compare(others: readonly number[] = [503]) {
      await senders.stop()
      assert.deepEqual([...senders.others()], others)
      assert.deepEqual(await listSent(platform.database, 'platform'), senders.received())
      const { status, stdout } = await openRecordCommands(platform.database, 'platform').run(
        'verify',
      )
      assert.equal(status, 0, stdout)
    },
  }
}

describeOn('postgres', 'a platform whose database ends', () => {
  it('answers each request with its record, or with a 503', async (t) => {
    const scope = createScope(t)
    const postgres = await makePostgres({ durable: true })
    scope.after(() => postgres.remove())
    await postgres.start()
    const database = postgres.url()
    await createDatabase(database, { partitions: 2 })
    const { senders, untilAnswered, compare } = await openReading(scope, { database })

    for (const how of ['crash', 'fast'] as const) {
      const before = senders.count(503)
      await postgres.stop(how)
      await until(() => senders.count(503) > before)
      await postgres.start()
      await untilAnswered()
    }

    await compare()
  })
})

onSmallDisks('a platform whose disk is full', () => {
  describeOn('sqlite', 'a platform whose disk is full', () => {
    it('answers each request with its record, or with a 503, and continues with space', async (t) => {
      const scope = createScope(t)
      const disk = openSmallDisk(scope, 16)
      const file = join(disk.folder, 'bank.db')
      const database = `sqlite:${file}`
      await createDatabase(database)
      const { senders, untilAnswered, compare } = await openReading(scope, { database })
      keepLog(scope, file)

      disk.fill()
      await until(() => senders.count(503) > 0)
      disk.free()
      await untilAnswered()

      await compare()
    })
  })
})

describeOn('sqlite', 'a platform whose database is locked by another process', () => {
  it('answers each request with its record, or with a 503, and continues', async (t) => {
    const { database, senders, untilAnswered, compare } = await openReading(t)

    const file = openDatabaseFile(database)
    file.exec('begin exclusive')
    await until(() => senders.count(503) > 0)
    file.close()
    await untilAnswered()

    await compare()
  })
})

describe('a platform whose disk is slow', () => {
  /** The platform with a delay of the commits of its records. */
  async function openSlow(t: Scope) {
    const { openStore, intercept } = openInterceptedStore()
    const reading = await openReading(t, { openStore })
    return {
      ...reading,
      delay: (milliseconds: number) =>
        intercept('disclosureRecords.append', async (make) => {
          await wait(milliseconds)
          return make()
        }),
    }
  }

  it('answers as soon as the record is stored', async (t) => {
    const { delay, untilAnswered, compare } = await openSlow(t)

    delay(200)
    await untilAnswered()

    await compare([])
  })

  it('answers with a 503 if that takes too long, and continues', async (t) => {
    const { delay, senders, untilAnswered, compare } = await openSlow(t)

    delay(5500)
    await until(() => senders.count(503) > 0)
    delay(0)
    await untilAnswered()

    await compare()
  })
})
