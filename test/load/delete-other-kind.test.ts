import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import { concurrency, openBank, splitLines } from './bank.ts'
import { put, removal } from './lines.ts'

const customer = put.customer('c1')
const account = put.energyAccount('e1', ['c1'])
const contact = put.contact('e1')
const [first, second] = [put.invoice('e1', 'i1'), put.invoice('e1', 'i2')]
const notBanking = removal('banking.account', { accountId: 'e1' })
const deleted = removal('energy.account', { accountId: 'e1' })

/** The lines of a load, and the lines kept besides the customer and the account. */
const cases: readonly [string, readonly string[], readonly string[]][] = [
  ['after everything in the account', [customer, account, first, notBanking], [first]],
  ['before the account is loaded', [first, notBanking, customer, account], [first]],
  ['before its holder is loaded', [account, first, notBanking, customer], [first]],
  [
    'after a contact, which can belong to either kind',
    [contact, notBanking, customer, account],
    [contact],
  ],
  ['twice', [first, notBanking, second, notBanking, customer, account], [second, first]],
  [
    'after a deletion of its own kind',
    [first, deleted, second, notBanking, customer, account],
    [second],
  ],
  [
    'before a deletion of its own kind',
    [first, notBanking, second, deleted, customer, account],
    [],
  ],
]

describe('deleting an account of the other kind', { concurrency }, () => {
  for (const [where, lines, kept] of cases) {
    for (const flags of [[], ['--batch', '1'], ['--batch', '3']]) {
      it(`has no effect ${where}, even when repeated: ${flags.join(' ')}`, async (t) => {
        const bank = await openBank(t)

        await bank.fill(lines, ...flags)
        const once = splitLines(await bank.dump())
        await bank.fill(lines, ...flags)

        assert.deepEqual(once, [customer, account, ...kept])
        assert.deepEqual(splitLines(await bank.dump()), once)
      })
    }
  }
})

describe('deleting an account that does not exist yet', { concurrency }, () => {
  for (const flags of [[], ['--batch', '1']]) {
    it(`deletes earlier lines of an account of the same kind: ${flags.join(' ')}`, async (t) => {
      const bank = await openBank(t)
      const lines = [contact, first, deleted, second, customer, account]

      await bank.fill(lines, ...flags)
      const once = splitLines(await bank.dump())
      await bank.fill(lines, ...flags)

      assert.deepEqual(once, [customer, account, second])
      assert.deepEqual(splitLines(await bank.dump()), once)
    })
  }
})

describe('deleting an account twice', { concurrency }, () => {
  for (const flags of [[], ['--batch', '1'], ['--batch', '9']]) {
    it(`rejects a line between the two deletions: ${flags.join(' ')}`, async (t) => {
      const bank = await openBank(t)
      await bank.fill([customer, account])

      const { status, stderr } = await bank.load([deleted, first, deleted], ...flags)

      assert.equal(status, 1)
      assert.match(stderr, /:2: accountId: energy account not found/)
    })
  }
})
