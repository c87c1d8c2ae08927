import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyFullOf, anyOf } from '../../../../test/support/arbitrary.ts'
import {
  assertDescribes,
  assertValid,
  openDescription,
  write,
} from '../../../../test/support/cds-records.ts'
import { propertyRuns } from '../../../../test/support/properties.ts'
import { BankingAccountV3, recordTypes } from '../../index.ts'
import { findRecordFaults } from '../record-faults.ts'
import { bankingAccount, bankingAccountDetail } from './banking-account.ts'
import { bankingBalance, bankingTransaction } from './banking-history.ts'
import { directDebit, scheduledPayment } from './banking-payments.ts'
import { customer, customerDetail } from './customer.ts'
import { energyAccount, energyAccountDetail } from './energy-account.ts'
import { energyBilling, energyInvoice } from './energy-billing.ts'

const records = [
  ['banking.account', bankingAccount, 'BankingAccountV3'],
  ['banking.account', bankingAccountDetail, 'BankingAccountDetailV5'],
  ['banking.balance', bankingBalance, 'BankingBalance'],
  ['banking.transaction', bankingTransaction, 'BankingTransactionV2'],
  ['banking.scheduledPayment', scheduledPayment, 'BankingScheduledPaymentV2'],
  ['banking.directDebit', directDebit, 'BankingDirectDebit'],
  ['energy.account', energyAccount, 'EnergyAccountV2'],
  ['energy.account', energyAccountDetail, 'EnergyAccountDetailV4'],
  ['energy.invoice', energyInvoice, 'EnergyInvoice'],
  ['energy.billing', energyBilling, 'EnergyBillingTransactionV3'],
  ['customer', customer, 'CommonCustomer'],
  ['customer', customerDetail, 'CommonCustomerDetailV2'],
] as const

/** An object of JSON that cannot be converted to text. */
const textless = JSON.parse('{ "toString": 1 }')

describe('a value that cannot be converted to text', () => {
  const term = { amount: '1.00', currency: textless }
  const account = {
    accountId: 'a1',
    productCategory: 'TRANS_AND_SAVINGS_ACCOUNTS',
    accountNumber: textless,
    fees: [{ name: textless, feeType: textless, feeMethodUType: textless }],
    depositRates: [{ depositRateType: textless, rate: '0.01', applicationType: textless }],
    addresses: [{ addressUType: 'simple', simple: { country: textless } }],
  }
  const customer = { name: 'Ana', phoneNumber: textless, email: ['ana@example.com'] }
  for (const [name, shape, record] of [
    ['an account', bankingAccount, account],
    ['the details of an account', bankingAccountDetail, account],
    ['a balance', bankingBalance, { accountId: 'a1', availableBalance: '1.00', ...term }],
    ['a payment', scheduledPayment, { paymentSet: { to: { toUType: textless }, ...term } }],
    ['a customer', customerDetail, { ...customer, address: { streetAddress: textless } }],
    ['an address', customerDetail, { ...customer, address: { country: textless } }],
    ['a plan', energyAccountDetail, { plans: [{ planDetail: { fuelType: textless } }] }],
  ] as const) {
    it(`is left out of ${name}`, () => {
      const { written } = write(shape, record)

      assert.ok(!/toString|ana@example.com/.test(JSON.stringify(written ?? {})))
    })
  }
})

for (const [type, shape, schema] of records) {
  describe(`${schema} of the standards`, () => {
    const valid = fc.oneof(anyOf(recordTypes[type]), anyFullOf(recordTypes[type]))

    it('is valid, whatever valid record the provider has', () => {
      fc.assert(
        fc.property(valid, (record) => assertValid(schema, write(shape, record).written)),
        propertyRuns(30),
      )
    })

    it('is described as the standards do, and as it is written', () => {
      assertDescribes(shape.describe(9), schema)
      const assertDescribed = openDescription(shape, 9)
      fc.assert(
        fc.property(valid, (record) => assertDescribed(write(shape, record).written)),
        propertyRuns(20),
      )
    })

    it('is valid, even if values of the record have another type', () => {
      const value = fc.oneof(fc.anything(), fc.constantFrom('', null, -1, '1e9', []))
      const invalid = fc
        .tuple(valid, fc.array(fc.tuple(fc.nat(), value), { minLength: 1, maxLength: 3 }))
        .map(([record, changes]) => replaceValues(record, changes))
      fc.assert(
        fc.property(invalid, (record) => assertValid(schema, write(shape, record).written)),
        propertyRuns(20),
      )
    })

    it('is written without a fault if a load does not warn about the record', () => {
      fc.assert(
        fc.property(valid, (record) => {
          const { written } = write(shape, record)
          if (findRecordFaults(type, record).length === 0) assert.ok(written)
        }),
        propertyRuns(20),
      )
    })
  })
}

/** Replaces values at any depth. */
function replaceValues(record: object, changes: readonly (readonly [number, unknown])[]): object {
  const copy = structuredClone(record)
  for (const [place, value] of changes) {
    const places = listPlaces(copy)
    const [holder, key] = places[place % Math.max(1, places.length)] ?? [{}, '']
    Object.assign(holder, { [key]: value })
  }
  return copy
}

function listPlaces(value: unknown): (readonly [object, string])[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => [
    [value, key] as const,
    ...listPlaces(each),
  ])
}

const account = { accountId: 'a', productCategory: 'LEASES', maskedNumber: 'xxxx 1234' }

describe('an account', () => {
  it('of version 3 is written as one of version 4', () => {
    fc.assert(
      fc.property(anyFullOf(BankingAccountV3), (record) =>
        assertValid('BankingAccountDetailV5', write(bankingAccountDetail, record).written),
      ),
      propertyRuns(20),
    )
  })

  it('has the fields and values of the requested version', () => {
    const record = {
      ...account,
      features: [{ featureType: 'EXTRA_DOWN_PAYMENT', additionalInfo: 'Twice' }],
    }

    const earlier = write(bankingAccountDetail, record, { version: 4 }).written
    const later = write(bankingAccountDetail, record, { version: 5 }).written

    assert.deepEqual(earlier?.['features'], [
      { featureType: 'OTHER', additionalInfo: 'EXTRA_DOWN_PAYMENT: Twice' },
    ])
    assert.deepEqual(later?.['features'], record.features)
    assert.equal(earlier?.['isInstalmentDetailAvailable'], undefined)
    assert.equal(later?.['isInstalmentDetailAvailable'], false)
  })

  for (const [number, expected] of [
    ['123456789', 'xxxxx6789'],
    ['4111 1111 1111 1234', 'xxxx xxxx xxxx 1234'],
    ['xxxx 1234', 'xxxx 1234'],
    ['1234', 'xxxx'],
    ['12x345', 'xxxx'],
    [undefined, 'xxxx'],
  ] as const) {
    it(`never shows more than four digits of its number: ${number} is ${expected}`, () => {
      const { written } = write(bankingAccount, { ...account, maskedNumber: number })

      assert.equal(written?.['maskedNumber'], expected)
    })
  }

  it('without a category is left out: none is invented', () => {
    const { written, faults } = write(bankingAccount, { accountId: 'a' })

    assert.equal(written, undefined)
    assert.deepEqual(faults, ['BankingAccount.productCategory'])
  })

  it('has an account number in its details alone, and never that of a card', () => {
    const numbered = { ...account, bsb: 62000, accountNumber: 987654 }
    const card = { ...account, accountNumber: 4111111111111234 }

    assert.ok(!/62000|987654/.test(JSON.stringify(write(bankingAccount, numbered).written)))
    const { written } = write(bankingAccountDetail, numbered)
    assert.deepEqual([written?.['bsb'], written?.['accountNumber']], ['062000', '987654'])
    assert.equal(write(bankingAccountDetail, card).written?.['accountNumber'], undefined)
  })

  it('has no amount of a currency that does not exist', () => {
    const loan = {
      repaymentType: 'INTEREST_ONLY',
      originalLoanAmount: '5',
      originalLoanCurrency: 'BTC',
      maxRedraw: '1',
    }
    const record = { ...account, specificAccountUType: 'loan', loan }

    assert.deepEqual(write(bankingAccountDetail, record).written?.['loan'], {
      repaymentType: 'INTEREST_ONLY',
      maxRedraw: '1.00',
    })
  })

  it('does not name the kind of its details if they are incomplete', () => {
    const record = { ...account, specificAccountUType: 'loan', loan: { maxRedraw: '1' } }

    const { written, faults } = write(bankingAccountDetail, record)

    assert.deepEqual([written?.['specificAccountUType'], written?.['loan']], [undefined, undefined])
    assert.ok(faults.includes('BankingLoanAccount.repaymentType'))
  })

  it('has rates as decimals', () => {
    const record = { ...account, depositRate: 1e-7, lendingRate: 0.1 + 0.2 }

    const { written } = write(bankingAccountDetail, record)

    assert.equal(written?.['depositRate'], '0.0000001')
    assert.equal(written?.['lendingRate'], '0.3000000000000000')
  })
})

describe('a balance', () => {
  it('of a currency that does not exist is left out: it is not one in Australian dollars', () => {
    const balance = { accountId: 'a', currentBalance: '1', availableBalance: '1' }

    assert.equal(write(bankingBalance, { ...balance, currency: 'BTC' }).written, undefined)
    assert.equal(write(bankingBalance, balance).written?.['currency'], 'AUD')
  })
})

describe('a transaction', () => {
  const transaction = { accountId: 'a', transactionId: 't', amount: '1', status: 'POSTED' }

  it('that is posted without a time has that of its execution, or is left out', () => {
    const executionDateTime = '2026-01-01T00:00:00Z'

    const executed = write(bankingTransaction, { ...transaction, executionDateTime }).written
    assert.equal(executed?.['postingDateTime'], executionDateTime)
    assert.equal(write(bankingTransaction, transaction).written, undefined)
    assert.ok(write(bankingTransaction, { ...transaction, status: 'PENDING' }).written)
  })

  it('with an amount of more than 16 digits is left out', () => {
    const record = { ...transaction, status: 'PENDING', amount: '1'.repeat(17) }

    assert.equal(write(bankingTransaction, record).written, undefined)
  })
})

describe('a scheduled payment', () => {
  const domestic = { payeeAccountUType: 'account', account: { bsb: 1, accountNumber: 2 } }
  const makePayment = (to: object) => ({
    scheduledPaymentId: 'p',
    from: { accountId: 'a' },
    status: 'ACTIVE',
    paymentSet: { to, amount: '1' },
    recurrence: { reccurenceUType: 'eventBased', eventBased: { description: 'Rain' } },
  })
  const readPayee = (to: object) => {
    const { written } = write(scheduledPayment, makePayment(to), {
      makeId: (_kind, [id]) => (id === 'hidden' ? undefined : `third-party-${id}`),
    })
    return (written?.['paymentSet'] as { readonly to: unknown }[] | undefined)?.[0]?.to
  }

  it('to an account that is shared names it as the third party does', () => {
    const to = { toUType: 'accountId', accountId: 'b', payeeID: 'b' }

    assert.deepEqual(readPayee(to), { toUType: 'accountId', accountId: 'third-party-b' })
  })

  it('to another account or payee has the details of the payee, or is left out', () => {
    for (const to of [
      { toUType: 'accountId', accountId: 'hidden', payeeID: 'x' },
      { toUType: 'payeeId', accountId: 'b', payeeID: 'x' },
    ]) {
      assert.deepEqual(readPayee({ ...to, domestic }), {
        toUType: 'domestic',
        domestic: {
          payeeAccountUType: 'account',
          account: { bsb: '000001', accountNumber: '2' },
        },
      })
      assert.equal(readPayee(to), undefined)
    }
  })
})

describe('a customer', () => {
  it('with a single name has it as the last name', () => {
    const { written } = write(customer, { id: 'c', name: 'Ana', givenName: 'Ana' })

    assert.deepEqual(written, {
      customerUType: 'person',
      person: { lastName: 'Ana', middleNames: [] },
    })
  })

  for (const [phoneNumber, expected] of [
    ['0400 000 111', ['+61', undefined, '0400000111', '+61400000111']],
    ['+61 2 9999 8888', ['+61', '2', '99998888', '+61299998888']],
    ['+64 21 123 456', ['+64', undefined, '21123456', '+6421123456']],
    ['0014155550100', ['+1', undefined, '4155550100', '+14155550100']],
    ['call me', undefined],
  ] as const) {
    it(`has a phone number in the international format, or none: ${phoneNumber}`, () => {
      const { written } = write(customerDetail, { id: 'c', name: 'Ana', phoneNumber })

      const person = written?.['person'] as { readonly phoneNumbers: Record<string, unknown>[] }
      const [phone] = person.phoneNumbers
      assert.deepEqual(
        phone && ['countryCode', 'areaCode', 'number', 'fullNumber'].map((name) => phone[name]),
        expected && [...expected],
      )
    })
  }

  it('has an address with the country by its code, and none if it is incomplete', () => {
    const address = {
      streetAddress: '1 Main Street\nFlat 2',
      locality: 'Sydney',
      region: 'NSW',
      postalCode: '2000',
    }
    const readAddresses = (fields: object) => {
      const { written } = write(customerDetail, {
        id: 'c',
        name: 'A',
        address: { ...address, ...fields },
      })
      const person = written?.['person'] as { readonly physicalAddresses: unknown }
      return person.physicalAddresses
    }

    assert.deepEqual(readAddresses({ country: 'AU' }), [
      {
        addressUType: 'simple',
        simple: {
          addressLine1: '1 Main Street',
          addressLine2: 'Flat 2',
          postcode: '2000',
          city: 'Sydney',
          state: 'NSW',
          country: 'AUS',
        },
        purpose: 'MAIL',
      },
    ])
    assert.deepEqual(readAddresses({ postalCode: undefined }), [])
    assert.deepEqual(readAddresses({ country: 'Atlantis' }), [])
  })
})
