import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { examples } from '../../../contract/examples/index.ts'
import type {
  BankingAccount,
  BankingBalance,
  BankingTransaction,
  Customer,
} from '../../../contract/index.ts'
import { toCdsAccount, toCdsBalance, toCdsCustomer, toCdsTransaction } from './records.ts'

const [account, balance, transaction, customer] = [
  'BankingAccount',
  'BankingBalance',
  'BankingTransaction',
  'Customer',
].map((name) => examples[name]?.[0]) as [
  BankingAccount,
  BankingBalance,
  BankingTransaction,
  Customer,
]

/** The fields that the Consumer Data Standards require. */
const required = {
  account: [
    'accountId',
    'displayName',
    'accountOwnership',
    'maskedNumber',
    'productCategory',
    'productName',
  ],
  balance: ['accountId', 'currentBalance', 'availableBalance'],
  transaction: [
    'accountId',
    'isDetailAvailable',
    'type',
    'status',
    'description',
    'amount',
    'reference',
  ],
}

describe('a record of the Consumer Data Standards', () => {
  it('has every required field, from a complete record of the interface', () => {
    const records = {
      account: toCdsAccount(account, 'id', 3),
      balance: toCdsBalance(balance, 'id'),
      transaction: toCdsTransaction(transaction, 'id', 't'),
    }

    for (const [name, fields] of Object.entries(required)) {
      const record = records[name as keyof typeof records] as Record<string, unknown>
      for (const field of fields) assert.notEqual(record[field], undefined, `${name}.${field}`)
    }
  })

  it('contains no id of the provider', () => {
    const text = JSON.stringify([
      toCdsAccount(account, 'id', 3),
      toCdsBalance(balance, 'id'),
      toCdsTransaction(transaction, 'id', 't'),
      toCdsCustomer(customer),
    ])

    for (const id of [account.accountId, transaction.transactionId, customer.id]) {
      assert.ok(!text.includes(JSON.stringify(id)), id)
    }
  })

  it('contains no account number: the basic scope does not include it', () => {
    const record = toCdsAccount({ ...account, bsb: 123456, accountNumber: 987654 }, 'id', 3)

    assert.ok(!/123456|987654/.test(JSON.stringify(record)))
  })

  it('of an account has a creation date without a time', () => {
    const { creationDate } = toCdsAccount(
      { accountId: 'a', creationDate: '2020-02-29T23:00:00+10:00' },
      'id',
      3,
    )

    assert.equal(creationDate, '2020-02-29')
  })

  it('of a customer with a single name has it as the last name', () => {
    assert.deepEqual(toCdsCustomer({ id: 'c', name: 'Ana', givenName: 'Ana' }).person, {
      lastUpdateTime: undefined,
      lastName: 'Ana',
      middleNames: [],
    })
  })
})
