import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import { concurrency, linesOf, openBank } from './bank.ts'
import { put, removal } from './lines.ts'

const customer = put.customer('c1')
const account = put.energyAccount('e1', ['c1'])
const contact = put.contact('e1')
const [first, second] = [put.invoice('e1', 'i1'), put.invoice('e1', 'i2')]
const notBanking = removal('banking.account', { accountId: 'e1' })
const deleted = removal('energy.account', { accountId: 'e1' })

/** Lines of a load, and what there is afterwards besides the customer and the account. */
const cases: readonly [string, readonly string[], readonly string[]][] = [
  ['behind all that it has', [customer, account, first, notBanking], [first]],
  ['before the account comes', [first, notBanking, customer, account], [first]],
  ['before its holder comes', [account, first, notBanking, customer], [first]],
  [
    'behind a contact, which may be of either kind',
    [contact, notBanking, customer, account],
    [contact],
  ],
  ['twice', [first, notBanking, second, notBanking, customer, account], [second, first]],
  ['after one of its own kind', [first, deleted, second, notBanking, customer, account], [second]],
  ['before one of its own kind', [first, notBanking, second, deleted, customer, account], []],
]

describe('deleting an account of the other kind', { concurrency }, () => {
  for (const [where, lines, kept] of cases) {
    for (const flags of [[], ['--batch', '1'], ['--batch', '3']]) {
      it(`does nothing ${where}, however often it is loaded: ${flags.join(' ')}`, async (t) => {
        const bank = await openBank(t)

        await bank.fill(lines, ...flags)
        const once = linesOf(await bank.dump())
        await bank.fill(lines, ...flags)

        assert.deepEqual(once, [customer, account, ...kept])
        assert.deepEqual(linesOf(await bank.dump()), once)
      })
    }
  }
})

describe('deleting an account that is not there yet', { concurrency }, () => {
  for (const flags of [[], ['--batch', '1']]) {
    it(`takes what came before, where the account that comes is of its kind: ${flags.join(' ')}`, async (t) => {
      const bank = await openBank(t)
      const lines = [contact, first, deleted, second, customer, account]

      await bank.fill(lines, ...flags)
      const once = linesOf(await bank.dump())
      await bank.fill(lines, ...flags)

      assert.deepEqual(once, [customer, account, second])
      assert.deepEqual(linesOf(await bank.dump()), once)
    })
  }
})

describe('deleting an account twice', { concurrency }, () => {
  for (const flags of [[], ['--batch', '1'], ['--batch', '9']]) {
    it(`leaves a line between the two without its account: ${flags.join(' ')}`, async (t) => {
      const bank = await openBank(t)
      await bank.fill([customer, account])

      const { status, stderr } = await bank.load([deleted, first, deleted], ...flags)

      assert.equal(status, 1)
      assert.match(stderr, /:2: accountId: names no energy account that exists/)
    })
  }
})
