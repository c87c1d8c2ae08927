import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runInProcess } from '../support/process.ts'
import { makeRecord } from './disclose.ts'
import { execute, openRecords } from './stored-records.ts'

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

  it('exports every record of a customer once, also after the time of a block was changed', async (t) => {
    const records = await openRecords(t)
    const recorder = records.open()
    await records.record(recorder, 120)
    await recorder.close()
    const query = ['records', 'export', '--customer', 'c1', '--database', records.database]
    // The last block of the first page.
    for (const time of ['time - 30000', String(2n ** 63n - 1n)]) {
      await execute(records.database, `update record_block set time = ${time} where number = 49`)
      const { status, stdout } = await runInProcess(query)
      assert.equal(status, 0)
      const consents = stdout.match(/"consentId":"r\d+"/g) ?? []
      assert.equal(consents.length, 120)
      assert.equal(new Set(consents).size, 120)
    }
  })

  it('exports and shows records up to the end if a block was changed, names it and exits with 1', async (t) => {
    const records = await openRecords(t)
    const recorder = records.open()
    await records.record(recorder, 3)
    await recorder.close()
    const run = (...args: readonly string[]) =>
      runInProcess(['records', ...args, '--database', records.database])
    const [, second = assert.fail()] = await records.listBlocks()
    const [line = assert.fail()] = second.lines.split('\n')
    const { interactionId } = JSON.parse(line)
    const message = new RegExp(`the records were changed: chain ${second.chain}, block 1\\. Run`)

    for (const [lines, exported] of [
      [line.replace('"status":200', '"status":403'), ['r0', 'r1', 'r2']],
      [`${line}{`, ['r0', 'r2']],
    ] as const) {
      await execute(records.database, `update record_block set lines = '${lines}' where number = 1`)
      const { status, stdout, stderr } = await run('export')
      assert.equal(status, 1)
      assert.deepEqual(stdout.match(/(?<="consentId":")\w+/g), exported)
      assert.match(stderr, message)
      const shown = await run('show', interactionId)
      assert.equal(shown.status, 1)
      assert.match(shown.stderr, message)
    }
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
    const noHead = '{"chain":"a","block":9.5,"hash":"b","statement":"a.b.c"}'
    writeFileSync(log, ['no JSON', noHead, ...lines].join('\n'))
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
