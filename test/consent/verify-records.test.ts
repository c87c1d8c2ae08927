import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { makeSigningKey } from '../../src/auth/signing.ts'
import { type Block, emptyChain, type Head, sealBlock } from '../../src/disclosures/block.ts'
import { formatLine } from '../../src/disclosures/record.ts'
import { openRecorder, type Recorder } from '../../src/disclosures/recorder.ts'
import { removeExpired } from '../../src/disclosures/retention.ts'
import { openStatements } from '../../src/disclosures/statement.ts'
import { verifyRecords } from '../../src/disclosures/verify.ts'
import { openConsentStore, openSigningKeyStore } from '../../src/storage/open.ts'
import { openDatabaseFile } from '../support/database-file.ts'
import { currentEngine, describe, newDatabase, runSql, type Scope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runInProcess } from '../support/process.ts'
import { makeRecord } from './disclose.ts'

const start = Temporal.Instant.from('2026-07-01T00:00:00Z')

/** A platform’s database with a clock, and recorders as its processes have them. */
async function openRecords(scope: Scope) {
  const database = await newDatabase(scope)
  const { disclosureRecords: store, close } = await openConsentStore(database)
  const signingKeys = await openSigningKeyStore(database)
  scope.after(close)
  scope.after(signingKeys.close)
  await signingKeys.add(await makeSigningKey('ES256', start))
  let now = start
  const heads: Head[] = []
  const open = (): Recorder =>
    openRecorder({
      store,
      signingKeys,
      clock: () => now,
      onHead: (head) => heads.push(head),
      onError: () => {},
    })
  return {
    database,
    store,
    signingKeys,
    heads,
    open,
    pass(duration: Temporal.DurationLike) {
      now = now.toZonedDateTimeISO('UTC').add(duration).toInstant()
    },
    now: () => now,
    /** Records one after another, so that each has a block. */
    async record(recorder: Recorder, count: number) {
      for (let index = 0; index < count; index += 1) {
        now = now.add({ seconds: 1 })
        await recorder.record(makeRecord({ consentId: `r${index}` }))
      }
    },
    async verify(anchors: readonly Head[] = [], read: Parameters<typeof verifyRecords>[0] = store) {
      return verifyRecords(read, await openStatements(signingKeys), anchors, () => {})
    },
    listBlocks: () => store.walk(undefined, 1000),
  }
}

/** As an administrator of the database. */
async function execute(database: string, sql: string): Promise<void> {
  if (currentEngine() === 'postgres') {
    await runSql(sql, database)
    return
  }
  const file = openDatabaseFile(database)
  file.exec(sql)
  file.close()
}

const at = ({ chain, number }: Pick<Block, 'chain' | 'number'>) =>
  `chain = '${chain}' and number = ${number}`

describe('the verification of records', () => {
  it('passes for the chains of several processes, also of one that was killed', async (t) => {
    const records = await openRecords(t)
    const [first, killed] = [records.open(), records.open()]
    await records.record(first, 3)
    await records.record(killed, 2)
    await first.close()

    const { broken, open, ...counts } = await records.verify(records.heads)

    assert.deepEqual(broken, [])
    // The end of the first chain has a block.
    assert.deepEqual(counts, { chains: 2, blocks: 6, records: 5, unsent: 0 })
    assert.deepEqual(
      open.map(({ number }) => number),
      [1],
    )
  })

  it('names the first block that was changed, inserted or removed', async (t) => {
    const records = await openRecords(t)
    const recorder = records.open()
    await records.record(recorder, 5)
    await recorder.close()
    const blocks = await records.listBlocks()
    const [, , third, fourth] = blocks
    assert.ok(third && fourth)
    const restore = async () => {
      await execute(records.database, 'delete from record_block')
      for (const block of blocks) await records.store.append(block, [])
      assert.deepEqual((await records.verify()).broken, [])
    }
    const line = formatLine({ kind: 'disclosure', ...makeRecord({ status: 403 }) })
    const forged = sealBlock({ ...third, number: 1, hash: third.previous }, [line], third.time)
    const insert = async () => {
      await execute(records.database, `delete from record_block where ${at(third)}`)
      await records.store.append(forged, [])
    }
    const change = (sql: string) => () => execute(records.database, sql)

    for (const [attack, number, fault] of [
      [change(`update record_block set lines = '${line}' where ${at(third)}`), 2, /hash/],
      [change(`update record_block set time = time + 1 where ${at(third)}`), 2, /hash/],
      [change(`delete from record_block where ${at(third)}`), 2, /it is missing/],
      [insert, 3, /does not follow/],
      [change(`delete from record_block where number < 2`), 2, /blocks before it are missing/],
      [change(`delete from record_block where number >= 3`), 4, /missing/],
    ] as const) {
      await attack()
      const { broken } = await records.verify(records.heads)
      assert.deepEqual([broken.length, broken[0]?.number], [1, number], JSON.stringify(broken))
      assert.match(broken[0]?.fault ?? '', fault)
      await restore()
    }
  })

  it('finds by the statements of another process that the end of a chain was removed', async (t) => {
    const records = await openRecords(t)
    const [killed, other] = [records.open(), records.open()]
    await records.record(killed, 4)
    await records.record(other, 1)
    await other.close()

    await execute(
      records.database,
      `delete from record_block where number >= 2
      and chain = (select chain from record_block where number = 3)`,
    )

    const { broken } = await records.verify()
    assert.deepEqual(
      broken.map(({ number, fault }) => [number, fault]),
      [[3, 'it is missing']],
    )
  })

  it('finds that a chain was removed, however long no process ran after it', async (t) => {
    const records = await openRecords(t)
    const [ended, next] = [records.open(), records.open()]
    await records.record(ended, 2)
    await ended.close()
    const [{ chain } = assert.fail()] = await records.listBlocks()
    records.pass({ days: 3 })
    await records.record(next, 1)
    await next.close()

    await execute(records.database, `delete from record_block where chain = '${chain}'`)

    const { broken } = await records.verify()
    assert.deepEqual(broken, [{ chain, number: 2, fault: 'it is missing' }])
  })

  it('names a block that no process wrote', async (t) => {
    const records = await openRecords(t)
    await records.record(records.open(), 2)
    const [, last = assert.fail()] = await records.listBlocks()
    const [{ id: kid } = assert.fail()] = await records.signingKeys.list()
    const header = { alg: 'PS256', kid, typ: 'holdfast-records+jws' }
    const statement = [JSON.stringify(header), '{}', 'signature']
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.')
    const record = formatLine({ kind: 'disclosure', ...makeRecord() })
    const none = { chain: 'none', number: -1, hash: '' }
    const invalid = 'its content is invalid'
    const missing = 'the blocks before it are missing'

    for (const [before, line, fault] of [
      [last, '{', invalid],
      [last, 'null', invalid],
      [last, '{"kind":"other"}', invalid],
      [last, '{"kind":"unsent","block":"x"}', invalid],
      [last, '{"kind":"statement"}', invalid],
      [last, JSON.stringify({ kind: 'statement', statement }), 'its signature is invalid'],
      [none, record, 'the chain has no signed start'],
      [{ ...none, number: -2 }, record, missing],
      [{ ...none, chain: '', number: -4 }, record, missing],
    ] as const) {
      const block = sealBlock(before, [line], last.time)
      await records.store.append(block, [])
      const { broken } = await records.verify()
      assert.deepEqual(broken, [{ chain: before.chain, number: block.number, fault }], line)
      await execute(records.database, `delete from record_block where ${at(block)}`)
    }
  })

  it('finds that a chain was written anew without the key', async (t) => {
    const records = await openRecords(t)
    const recorder = records.open()
    await records.record(recorder, 3)
    await recorder.close()
    const blocks = await records.listBlocks()
    await execute(records.database, 'delete from record_block')
    let head = emptyChain(blocks[0]?.chain ?? '')
    for (const { lines, time } of blocks) {
      const block = sealBlock(head, [lines.replaceAll('"status":200', '"status":403')], time)
      await records.store.append(block, [])
      head = block
    }

    const { broken } = await records.verify()

    assert.deepEqual(
      broken.map(({ fault }) => fault),
      ['it differs from the signed one'],
    )
  })

  it('accepts that expired blocks are removed, and no others', async (t) => {
    const records = await openRecords(t)
    const [early, late] = [records.open(), records.open()]
    await records.record(early, 4)
    await early.close()
    records.pass({ years: 3 })
    await records.record(late, 2)
    records.pass({ years: 3, days: 1 })

    await removeExpired(records.store, late, start.add({ seconds: 3 }))
    const { broken } = await records.verify(records.heads)
    assert.deepEqual(broken, [])
    const left = await records.listBlocks()
    assert.deepEqual(left.map(({ number }) => number).sort(), [0, 1, 2, 2, 3, 4])

    const first = left.find(({ number }) => number === 3)
    await execute(
      records.database,
      `delete from record_block where number = 2
      and chain = '${first?.chain}'`,
    )
    assert.deepEqual(
      (await records.verify(records.heads)).broken.map(({ fault }) => fault),
      ['the blocks before it are missing'],
    )
  })

  it('finds a block in the place of an expired one', async (t) => {
    const records = await openRecords(t)
    const [early, late] = [records.open(), records.open()]
    await records.record(early, 3)
    await early.close()
    const [{ chain } = assert.fail()] = await records.listBlocks()
    records.pass({ years: 6 })
    await records.record(late, 1)
    await removeExpired(records.store, late, start.add({ hours: 1 }))
    assert.deepEqual((await records.verify(records.heads)).broken, [])

    const line = formatLine({ kind: 'disclosure', ...makeRecord() })
    for (const number of [1, 3]) {
      const block = sealBlock({ chain, number: number - 1, hash: '' }, [line], records.now())
      await records.store.append(block, [])
      const { broken } = await records.verify()
      assert.deepEqual(broken, [{ chain, number, fault: 'it differs from the signed one' }])
      await execute(records.database, `delete from record_block where ${at(block)}`)
    }
  })

  it('accepts that blocks expire while it reads', async (t) => {
    const records = await openRecords(t)
    const recorder = records.open()
    await records.record(recorder, 5)
    let isRead = false

    const { broken } = await records.verify([], {
      ...records.store,
      async walk(after) {
        if (isRead) await removeExpired(records.store, recorder, start.add({ seconds: 4 }))
        isRead = true
        return records.store.walk(after, after ? 1 : 2)
      },
    })

    assert.deepEqual(broken, [])
    const [first] = await records.listBlocks()
    assert.equal(first?.number, 3)
  })

  it('removes what expired records are found by', async (t) => {
    const records = await openRecords(t)
    const recorder = records.open()
    await records.record(recorder, 3)
    await recorder.record(makeRecord({ customerId: 'kept', interactionId: 'kept' }))
    await removeExpired(records.store, recorder, start.add({ seconds: 3 }))

    const [first] = await records.store.list({ limit: 1 })

    assert.equal(first?.number, 2)
    const found = await records.store.list({ customerId: 'c1', limit: 10 })
    assert.deepEqual(
      found.map(({ number }) => number),
      [2],
    )
  })
})

describe('holdfast records', () => {
  it('exports records in pages that continue each other, as JSON or for a spreadsheet', async (t) => {
    const records = await openRecords(t)
    const recorder = records.open()
    await records.record(recorder, 3)
    await recorder.record(
      makeRecord({ customerId: 'c2', thirdPartyId: '=cmd', accountIds: ['a"1'] }),
    )
    await recorder.close()
    const run = async (...args: readonly string[]) => {
      const { status, stdout, stderr } = await runInProcess([
        ...['records', ...args, '--database', records.database],
      ])
      assert.equal(status, 0, stderr)
      return stdout
    }
    const parse = (text: string) =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, string>)

    const all = parse(await run('export'))
    const [, second] = all
    const rest = parse(await run('export', '--after', second?.['position'] ?? ''))
    const day = parse(await run('export', '--from', '2026-07-01', '--to', '2026-07-01T00:00:02Z'))
    const ofCustomer = parse(await run('export', '--customer', 'c1'))
    const csv = await run('export', '--format', 'csv', '--customer', 'c2')
    const shown = JSON.parse(await run('show', second?.['interactionId'] ?? ''))

    assert.deepEqual(
      all.map(({ consentId }) => consentId),
      ['r0', 'r1', 'r2', 'r1'],
    )
    assert.deepEqual(rest, all.slice(2))
    assert.deepEqual(day, all.slice(0, 1))
    assert.deepEqual(ofCustomer, all.slice(0, 3))
    assert.deepEqual(shown, second)
    const [header, row] = csv.trimEnd().split('\r\n')
    assert.match(header ?? '', /^time,interactionId,operation,status,/)
    assert.match(row ?? '', /,'=cmd,true,bank:transactions:read,"a""1",1,,,/)
  })

  it('verify exits with 1 if a block is missing that the log names', async (t) => {
    const records = await openRecords(t)
    const recorder = records.open()
    await records.record(recorder, 2)
    await recorder.close()
    const log = join(await temporaryFolder(t), 'platform.log')
    const lines = records.heads.map(({ chain, number: block, hash }) =>
      JSON.stringify({ level: 30, chain, block, hash, statement: 'a.b.c' }),
    )
    writeFileSync(log, ['no JSON', ...lines].join('\n'))
    const verify = () =>
      runInProcess(['records', 'verify', '--heads', log, '--database', records.database])

    const intact = await verify()
    await execute(records.database, 'delete from record_block where number > 0')
    const cut = await verify()

    assert.deepEqual(
      [intact.status, intact.stdout],
      [0, 'verified 2 records in 3 blocks of 1 chain\n'],
    )
    assert.equal(cut.status, 1)
    assert.match(
      cut.stdout,
      /^verified 1 record in 1 block of 1 chain\n.*block 1: it is missing\n$/s,
    )
  })
})
