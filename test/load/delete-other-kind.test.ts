import assert from 'node:assert/strict'
import { it } from 'node:test'
import { describe } from '../support/engines.ts'
import { openBank, splitLines } from './bank.ts'
import { put, removal } from './lines.ts'

/** The lines about one account and its holder. */
function createLines(number: number) {
  const [customerId, accountId] = [`c${number}`, `e${number}`]
  return {
    customer: put.customer(customerId),
    account: put.energyAccount(accountId, [customerId]),
    contact: put.contact(accountId),
    first: put.invoice(accountId, 'i1'),
    second: put.invoice(accountId, 'i2'),
    notBanking: removal('banking.account', { accountId }),
    deleted: removal('energy.account', { accountId }),
  }
}

type Name = keyof ReturnType<typeof createLines>

/** The lines of a load, and the lines kept besides the customer and the account. */
type Case = readonly [name: string, load: readonly Name[], kept: readonly Name[]]

const cases: readonly Case[] = [
  ['after everything in the account', ['customer', 'account', 'first', 'notBanking'], ['first']],
  ['before the account is loaded', ['first', 'notBanking', 'customer', 'account'], ['first']],
  ['before its holder is loaded', ['account', 'first', 'notBanking', 'customer'], ['first']],
  [
    'after a contact, which can belong to either kind',
    ['contact', 'notBanking', 'customer', 'account'],
    ['contact'],
  ],
  [
    'twice',
    ['first', 'notBanking', 'second', 'notBanking', 'customer', 'account'],
    ['second', 'first'],
  ],
  [
    'after a deletion of its own kind',
    ['first', 'deleted', 'second', 'notBanking', 'customer', 'account'],
    ['second'],
  ],
  [
    'before a deletion of its own kind',
    ['first', 'notBanking', 'second', 'deleted', 'customer', 'account'],
    [],
  ],
  [
    'of its own kind alone, before the account is loaded',
    ['contact', 'first', 'deleted', 'second', 'customer', 'account'],
    ['second'],
  ],
]

/** Repeats the last line until the batch is full, so that every case starts with a batch. */
function fillBatch(lines: readonly string[], batch: number): string[] {
  const missing = (batch - (lines.length % batch)) % batch
  return [...lines, ...Array.from({ length: missing }, () => lines.at(-1) ?? '')]
}

describe('deleting an account of the other kind has no effect, even when repeated', () => {
  for (const batch of [undefined, 1, 3]) {
    it(batch === undefined ? 'in one commit' : `in batches of ${batch}`, async (t) => {
      const bank = await openBank(t)
      const all = cases.map(([name, load, kept], index) => {
        const lines = createLines(index)
        return {
          name,
          load: load.map((each) => lines[each]),
          customer: lines.customer,
          kept: [lines.account, ...kept.map((each) => lines[each])],
        }
      })
      const loaded = all.flatMap(({ load }) => fillBatch(load, batch ?? 1))
      const flags = batch === undefined ? [] : ['--batch', String(batch)]

      for (const time of ['once', 'twice']) {
        await bank.fill(loaded, ...flags)
        const dumped = splitLines(await bank.dump())

        assert.deepEqual(
          dumped.splice(0, all.length),
          all.map(({ customer }) => customer),
        )
        for (const { name, kept } of all) {
          const found = dumped.filter((each) => each.includes(`"${accountId(kept[0])}"`))
          assert.deepEqual(found, kept, `${name}, loaded ${time}`)
        }
      }
    })
  }
})

function accountId(account = ''): string {
  return JSON.parse(account).record.accountId
}

describe('deleting an account twice', () => {
  const { customer, account, deleted, first } = createLines(1)

  for (const flags of [[], ['--batch', '1'], ['--batch', '9']]) {
    it(`deletes a line between the two deletions: ${flags.join(' ')}`, async (t) => {
      const bank = await openBank(t)
      await bank.fill([customer, account])

      for (let time = 0; time < 2; time += 1) {
        await bank.fill([deleted, first, deleted], ...flags)
        assert.deepEqual(splitLines(await bank.dump()), [customer])
      }
    })
  }
})
