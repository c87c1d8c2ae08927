import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Block, emptyChain, sealBlock } from '../../src/disclosures/block.ts'
import { formatLine, parseLines } from '../../src/disclosures/record.ts'
import { removeExpired } from '../../src/disclosures/retention.ts'
import { describe } from '../support/engines.ts'
import { makeRecord } from './disclose.ts'
import { execute, openRecords, start } from './stored-records.ts'

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
      // Outside of the times of JavaScript.
      [change(`update record_block set time = ${2n ** 63n - 1n} where ${at(third)}`), 2, /hash/],
      [change(`update record_block set time = ${-8.64e15 - 1} where ${at(third)}`), 2, /hash/],
      // Outside of the numbers of JavaScript.
      [change(`update record_block set number = ${2n ** 62n} where ${at(third)}`), 2, /missing/],
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

  it('reads the chains once more, however many of them lack their end', async (t) => {
    const records = await openRecords(t)
    const recorders = Array.from({ length: 8 }, () => records.open())
    for (const recorder of recorders) await records.record(recorder, 2)
    await Promise.all(recorders.map((recorder) => recorder.close()))
    await execute(records.database, 'delete from record_block where number >= 1')
    let reads = 0

    const { broken } = await records.verify(records.heads, {
      ...records.store,
      walk(...page) {
        reads += 1
        return records.store.walk(...page)
      },
    })

    assert.equal(broken.length, 8)
    assert.ok(reads <= 1 + 2 * 8, `${reads} reads`)
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

  it('is not needed to remove expired blocks: those that were changed are removed too', async (t) => {
    const records = await openRecords(t)
    const recorder = records.open()
    await records.record(recorder, 4)
    const lines = [`'{'`, `'null'`, `'{"kind":"disclosure","customerId":{}}'`]
    for (const [number, content] of lines.entries()) {
      const sql = `update record_block set lines = ${content} where number = ${number}`
      await execute(records.database, sql)
    }

    await removeExpired(records.store, recorder, start.add({ seconds: 4 }))

    const [first] = await records.listBlocks()
    assert.equal(first?.number, 3)
  })

  it('finds that blocks were removed whose times had been changed', async (t) => {
    const records = await openRecords(t)
    const [early, late] = [records.open(), records.open()]
    await records.record(early, 3)
    await early.close()
    const [{ chain } = assert.fail()] = await records.listBlocks()
    await records.record(late, 1)

    for (const [numbers, fault] of [
      ['number < 2', 'the blocks before it are missing'],
      ['number >= 2', 'it is missing'],
    ] as const) {
      const sql = `update record_block set time = 0 where chain = '${chain}' and ${numbers}`
      await execute(records.database, sql)
      await removeExpired(records.store, late, start)
      const { broken } = await records.verify(records.heads)
      assert.deepEqual(
        broken.map((each) => [each.chain, each.fault]),
        [[chain, fault]],
      )
    }
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

describe('a block', () => {
  it('has few characters, except if one record is long', async (t) => {
    const records = await openRecords(t)
    const recorder = records.open()
    const accountIds = Array.from({ length: 1000 }, (_, index) => `${index}`.padStart(100, '0'))

    await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        recorder.record(makeRecord({ interactionId: `${index}`, accountIds })),
      ),
    )

    const blocks = await records.listBlocks()
    assert.deepEqual(
      blocks.map((block) => parseLines(block).filter(({ kind }) => kind === 'disclosure').length),
      [2, 2, 2],
    )
    assert.deepEqual((await records.verify()).broken, [])
  })
})
