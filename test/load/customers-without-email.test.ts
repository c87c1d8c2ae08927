import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describeOnce } from '../support/engines.ts'
import { openBank, splitLines } from './bank.ts'
import { put } from './lines.ts'

const without = (id: string) => put.customer(id, { email: undefined })

describeOnce('a load of customers without an e-mail address', () => {
  it('stores them, and reports their number', async (t) => {
    const bank = await openBank(t)
    const customers = [without('c1'), put.customer('c2'), without('c3')]

    const { status, stdout } = await bank.load(customers)

    assert.equal(status, 0)
    assert.match(stdout, /^2 customers have no e-mail address: the consent flow cannot find them$/m)
    assert.deepEqual(splitLines(await bank.dump()), customers)
  })

  it('reports a single one in a dry run, too', async (t) => {
    const bank = await openBank(t)
    await bank.fill([put.customer('c1')])

    const { stdout } = await bank.load([without('c1')], '--dry-run')

    assert.match(stdout, /^1 customer has no e-mail address: the consent flow cannot find it$/m)
  })
})
