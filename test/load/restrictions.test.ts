import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { openDeployment } from '../support/deployment.ts'
import { createScope, describe } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runInProcess } from '../support/process.ts'
import { accountsPath } from '../support/small-bank.ts'
import { dumpOf, openBank, splitLines } from './bank.ts'
import { put, removal } from './lines.ts'

const base = [put.customer('c1'), put.account('a1', ['c1'])]
const ofAccount = put.restriction({ accountId: 'a1' })
const ofCustomer = put.restriction({ customerId: 'c1' }, { until: '2100-01-01T00:00:00+10:00' })
const removeOwners = [
  removal('banking.account', { accountId: 'a1' }),
  removal('customer', { id: 'c1' }),
]
const asUnresolved = (text: string) => text.replace('{', '{"unresolved":true,')

describe('a restriction', () => {
  it('of what does not exist is an error, also if a later line deletes it', async (t) => {
    const bank = await openBank(t)
    await bank.fill(base)
    bank.write('lines.ndjson', [
      put.restriction({ accountId: 'a9' }),
      put.restriction({ customerId: 'c9' }),
      ofAccount,
      ofCustomer,
      ...removeOwners,
    ])

    assert.deepEqual(await bank.listErrors(['lines.ndjson']), [
      'lines.ndjson:1: accountId: account not found',
      'lines.ndjson:2: customerId: customer not found',
      'lines.ndjson:3: accountId: account not found',
      'lines.ndjson:4: customerId: customer not found',
    ])
    assert.deepEqual(splitLines(await bank.dump()), base)
  })

  it('of what does not exist is stored by a load in batches, with a warning', async (t) => {
    const bank = await openBank(t)

    const { status, stderr } = await bank.load(
      [...base, ofAccount, put.restriction({ customerId: 'c9' }), ...removeOwners],
      ...['--batch', '1'],
    )

    assert.equal(status, 0)
    assert.match(stderr, /^2 lines refer to accounts or customers that do not exist/)
    const restrictions = splitLines(await bank.dump()).slice(-2)
    assert.deepEqual(
      restrictions.map((text) => JSON.parse(text)),
      [ofAccount, put.restriction({ customerId: 'c9' })]
        .map(asUnresolved)
        .map((text) => JSON.parse(text)),
    )
  })

  it('outlives its account and its customer, also in a dump that is loaded again', async (t) => {
    const bank = await openBank(t)
    await bank.fill([...base, ofAccount, ofCustomer])
    await bank.fill(removeOwners)

    const dump = await bank.dump()
    const restrictions = splitLines(dump).slice(-2)
    assert.deepEqual(
      restrictions.map((text) => JSON.parse(text)),
      [ofAccount, ofCustomer].map(asUnresolved).map((text) => JSON.parse(text)),
    )

    const another = await bank.another()
    bank.write('dump.ndjson', dump)
    const restored = await runInProcess(['load', bank.path('dump.ndjson'), '--database', another])
    assert.deepEqual([restored.status, restored.stderr], [0, ''])
    assert.equal(await dumpOf(another), dump)

    await bank.fill(base)
    assert.deepEqual(splitLines(await bank.dump()), [...base, ofAccount, ofCustomer])
  })

  it('can be a row of a table', async (t) => {
    const bank = await openBank(t)
    await bank.fill(base)
    bank.write('restrictions.csv', [
      'accountId,customerId,reason,until',
      'a1,,blocked,',
      ',c1,blocked,2100-01-01T00:00:00+10:00',
    ])

    const { stderr } = await bank.loadFiles(['restrictions.csv'], '--type', 'restriction')

    assert.equal(stderr, '')
    assert.deepEqual(splitLines(await bank.dump()), [...base, ofAccount, ofCustomer])
  })

  it('applies at once in all processes', async (t) => {
    const scope = createScope(t)
    const { database, startProvider, ask } = await openDeployment(scope)
    const server = await startProvider({ workers: '2' })
    const file = join(await temporaryFolder(scope), 'lines.ndjson')
    const load = async (text: string) => {
      writeFileSync(file, text)
      const { status, stderr } = await runInProcess(['load', file, '--database', database])
      assert.deepEqual({ status, stderr }, { status: 0, stderr: '' })
    }
    /** On connections of their own, so that both workers respond. */
    const statuses = async () => {
      const headers = { connection: 'close' }
      const answers = Array.from({ length: 8 }, () => ask(server, accountsPath, headers))
      return [...new Set((await Promise.all(answers)).map(({ status }) => status))]
    }

    assert.deepEqual(await statuses(), [200])
    for (let round = 0; round < 3; round += 1) {
      await load(put.restriction({ customerId: 'c1' }, { reason: 'harm' }))
      assert.deepEqual(await statuses(), [403])
      await load(put.restriction({ customerId: 'c1' }))
      assert.deepEqual(await statuses(), [404])
      await load(removal('restriction', { customerId: 'c1' }))
      assert.deepEqual(await statuses(), [200])
    }
  })
})
