import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bankingAccount } from '../examples/banking.ts'
import { formatProblem } from '../problems.ts'
import type { RecordType } from '../records/index.ts'
import { findRecordFaults } from './record-faults.ts'

const valid = {
  'banking.account': { maskedNumber: 'xxx-xxx xxxxx1234', productCategory: 'TERM_DEPOSITS' },
  'banking.balance': { currentBalance: '1', availableBalance: '-1.5', currency: 'NZD' },
  'banking.transaction': { status: 'POSTED', amount: '1', postingDateTime: '2026-11-01T00:00:00Z' },
  'banking.scheduledPayment': {
    status: 'ACTIVE',
    paymentSet: { to: { toUType: 'domestic' }, amount: '1' },
    recurrence: {},
  },
  'banking.directDebit': { authorisedEntity: {} },
  'energy.account': { creationDate: '2026-11-01T00:00:00Z', plans: [] },
  'energy.invoice': { balanceAtIssue: '0', servicePoints: [], paymentStatus: 'PAID' },
  'energy.billing': { payment: { amount: '1', method: 'CARD' } },
} as const satisfies Partial<Record<RecordType, object>>

type Case = readonly [type: keyof typeof valid, fields: object, ...sentences: string[]]

const cases: readonly Case[] = [
  ['banking.account', { productCategory: undefined }, 'productCategory is required'],
  ['banking.account', { maskedNumber: undefined }, 'maskedNumber is required'],
  ...['062-000 12345678', '12345678', '', '****5678', 'xxx45678', 'XXXX 5678', 'x5678x'].map(
    (maskedNumber): Case => [
      'banking.account',
      { maskedNumber },
      'maskedNumber must have an x for each digit except the last four',
    ],
  ),
  [
    'banking.account',
    { creditCard: { minPaymentAmount: '1', paymentCurrency: 'dollar' } },
    'creditCard.paymentDueAmount is required',
    'creditCard.paymentDueDate is required',
    'creditCard.paymentCurrency must be a currency code of ISO 4217',
  ],
  [
    'banking.account',
    { fees: [{ name: 'A', feeType: 'EXIT', feeMethodUType: 'variable', currency: 'XTS' }] },
    'fees[0].currency must be a currency code of ISO 4217',
  ],
  ...['aud', 'AU', 'ZZZ', '', '__proto__'].map(
    (currency): Case => [
      'banking.balance',
      { currency },
      'currency must be a currency code of ISO 4217',
    ],
  ),
  [
    'banking.balance',
    { currentBalance: `-${'1'.repeat(17)}` },
    'currentBalance must be an amount with at most 16 digits before the decimal point',
  ],
  [
    'banking.transaction',
    { postingDateTime: undefined },
    'postingDateTime is required when status is POSTED',
  ],
  ['banking.scheduledPayment', { status: undefined }, 'status is required'],
  [
    'banking.scheduledPayment',
    { paymentSet: { to: { biller: { billerCode: '1' } } } },
    'paymentSet.to.biller.billerName is required',
    'paymentSet.amount is required unless isAmountCalculated is true',
  ],
  [
    'banking.scheduledPayment',
    {
      paymentSet: {
        to: { domestic: { card: { cardNumber: '4111 1111 1111 1111' } } },
        amount: '1',
      },
    },
    'paymentSet.to.domestic.card.cardNumber must have an x for each digit except the last four',
  ],
  ['banking.directDebit', { authorisedEntity: undefined }, 'authorisedEntity is required'],
  [
    'energy.account',
    { creationDate: undefined },
    'creationDate is required unless openStatus is CLOSED',
  ],
  [
    'energy.account',
    { plans: [{ servicePointIds: [], planOverview: {} }, {}] },
    'plans[0].planOverview.startDate is required',
    'plans[1].servicePointIds is required',
  ],
  ['energy.invoice', { paymentStatus: undefined }, 'paymentStatus is required'],
  ['energy.billing', { payment: { amount: '1' } }, 'payment.method is required'],
]

describe('findRecordFaults', () => {
  for (const type of Object.keys(valid) as (keyof typeof valid)[]) {
    it(`finds no fault in a record of the type ${type} with what the standards require`, () => {
      assert.deepEqual(findRecordFaults(type, valid[type]), [])
    })
  }

  it('finds no fault in the example of an account', () => {
    assert.deepEqual(findRecordFaults('banking.account', bankingAccount), [])
  })

  for (const [type, fields, ...sentences] of cases) {
    it(`finds ${sentences.join(' and ')} in ${JSON.stringify(fields)}`, () => {
      const faults = findRecordFaults(type, { ...valid[type], ...fields })

      assert.deepEqual(faults.map(formatProblem).sort(), sentences.toSorted())
    })
  }

  for (const maskedNumber of ['xxxx xxxx 5678', 'xxxxx', 'xxxx 56 78', 'BSB xxx-xxx Acc. xxxxx678'])
    it(`accepts the masked number ${maskedNumber}`, () => {
      const account = { ...valid['banking.account'], maskedNumber }

      assert.deepEqual(findRecordFaults('banking.account', account), [])
    })

  it('accepts what the standards require only in other cases', () => {
    const pending = { status: 'PENDING', amount: '1' }
    const calculated = {
      ...valid['banking.scheduledPayment'],
      paymentSet: { to: {}, isAmountCalculated: true },
    }
    const closed = { openStatus: 'CLOSED', plans: [] }

    assert.deepEqual(findRecordFaults('banking.transaction', pending), [])
    assert.deepEqual(findRecordFaults('banking.scheduledPayment', calculated), [])
    assert.deepEqual(findRecordFaults('energy.account', closed), [])
  })

  it('returns at most the requested number of faults', () => {
    const fees = Array.from({ length: 100 }, () => ({ currency: 'none' }))

    assert.equal(findRecordFaults('banking.account', { fees }, 3).length, 3)
  })
})
