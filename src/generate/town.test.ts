import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { linesOf, parsed, recordsOf } from '../../test/support/generated.ts'
import { values } from '../contract/enumerations.ts'
import { recordTypes } from '../contract/index.ts'
import { generateLines } from './index.ts'

const until = '2026-03-01T09:30:00+11:00'
const townText = [...generateLines({ customers: 200, seed: 'town', until, transactions: 120 })]
const town = townText.map(parsed)

describe('a generated town', () => {
  const accounts = linesOf(town, 'banking.account')
  const transactions = recordsOf(town, 'banking.transaction')
  const balances = recordsOf(town, 'banking.balance')
  const energy = linesOf(town, 'energy.account')
  const invoices = recordsOf(town, 'energy.invoice')
  const billing = recordsOf(town, 'energy.billing')
  const customers = recordsOf(town, 'customer')
  const products = recordsOf(town, 'product')
  const payments = recordsOf(town, 'banking.scheduledPayment')
  const contacts = linesOf(town, 'account.contact')
  const plans = energy.flatMap(({ record }) => record.plans ?? [])
  const contracts = plans.flatMap(({ planDetail }) => planDetail?.electricityContract ?? [])
  const busyIds = new Set(transactions.map(({ accountId }) => accountId))
  const holderIds = new Set(
    [...accounts, ...energy].flatMap(({ holders = [] }) => holders.map((one) => one.customerId)),
  )

  for (const [what, seen, expected] of [
    ['record', town.map(({ type }) => type), Object.keys(recordTypes)],
    [
      'product category on sale',
      products.map((one) => one.product_category),
      values.productCategory,
    ],
    [
      'product category held',
      accounts.map((one) => one.record.productCategory),
      values.productCategory,
    ],
    ['transaction type', transactions.map(({ type }) => type), values.transactionType],
    ['transaction status', transactions.map(({ status }) => status), values.transactionStatus],
    ['fuel', plans.map(({ planDetail }) => planDetail?.fuelType), values.fuelType],
    [
      'open status',
      [...accounts, ...energy].map((one) => one.record.openStatus),
      values.openStatus,
    ],
    ['payment status', invoices.map((one) => one.paymentStatus), values.paymentStatus],
    ['scheduled payment status', payments.map((one) => one.status), values.scheduledPaymentStatus],
    [
      'way to pay',
      payments.map((one) => one.paymentSet?.to.toUType),
      ['accountId', 'biller', 'digitalWallet', 'domestic', 'international', 'payeeId'],
    ],
    [
      'payee account',
      payments.map((one) => one.paymentSet?.to.domestic?.payeeAccountUType),
      ['account', 'card', 'payId'],
    ],
    [
      'recurrence',
      payments.map((one) => one.recurrence?.reccurenceUType),
      ['eventBased', 'intervalSchedule', 'lastWeekDay', 'onceOff'],
    ],
    [
      'billing transaction',
      billing.map((one) => one.transactionUType),
      ['usage', 'demand', 'onceOff', 'otherCharges', 'payment'],
    ],
    [
      'tariff',
      contracts.flatMap((one) => one.tariffPeriod?.map((period) => period.rateBlockUType)),
      ['singleRate', 'timeOfUseRates', 'demandCharges'],
    ],
    [
      'controlled load',
      contracts.flatMap((one) => one.controlledLoad?.map((load) => load.rateBlockUType)),
      ['singleRate', 'timeOfUseRates'],
    ],
    [
      'feed-in tariff',
      contracts.flatMap((one) => one.solarFeedInTariff?.map((tariff) => tariff.tariffUType)),
      ['singleTariff', 'timeVaryingTariffs'],
    ],
    [
      'energy discount',
      contracts.flatMap((one) => one.discounts?.map((discount) => discount.methodUType)),
      ['percentOfBill', 'percentOfUse', 'fixedAmount', 'percentOverThreshold'],
    ],
    [
      'fee',
      accounts.flatMap(({ record }) => record.fees?.map((fee) => fee.feeMethodUType)),
      ['fixedAmount', 'rateBased', 'variable'],
    ],
    [
      'address',
      accounts.flatMap(({ record }) => record.addresses?.map((one) => one.addressUType)),
      ['simple', 'paf'],
    ],
    [
      'account detail',
      accounts.map(({ record }) => record.specificAccountUType),
      ['creditCard', 'loan', 'termDeposit'],
    ],
    [
      'ownership',
      accounts.map(({ record }) => record.accountOwnership),
      ['ONE_PARTY', 'TWO_PARTY', 'MANY_PARTY'],
    ],
    [
      'account type',
      [...accounts, ...energy].map(({ record }) => record.complexAccountType),
      ['INDIVIDUAL', 'JOINT', 'ORGANISATION', 'SOLE_TRADER'],
    ],
    ['contact status', contacts.map(({ status }) => status), ['OPEN', 'CLOSED', 'RESTRICTED']],
    ['currency', balances.map(({ currency }) => currency), [undefined, 'EUR']],
  ] as const) {
    it(`has every kind of ${what}`, () => {
      const kinds = new Set<string | undefined>(seen)

      assert.deepEqual(
        expected.filter((value) => !kinds.has(value)),
        [],
      )
    })
  }

  for (const [what, isThere] of Object.entries({
    'a customer without accounts': customers.some(({ id }) => !holderIds.has(id)),
    'a customer of whom little is known': customers.some((one) => !one.phoneNumber),
    'two customers on one e-mail address': repeats(customers.map(({ email }) => email)),
    'two who write it in other letters':
      new Set(customers.map(({ email }) => email.toLowerCase())).size <
      new Set(customers.map(({ email }) => email)).size,
    'an account without a history': accounts.some(({ record }) => !busyIds.has(record.accountId)),
    'an energy account without invoices': energy.some(
      ({ record }) => !invoices.some(({ accountId }) => accountId === record.accountId),
    ),
    'an account that its second holder does not own': accounts.some(
      ({ holders = [] }) => holders[0]?.isOwned && holders[1]?.isOwned === false,
    ),
    'an account that both holders own': accounts.some(({ holders = [] }) => holders[1]?.isOwned),
    'an energy account with two holders': energy.some(({ holders = [] }) => holders.length > 1),
    'one lending rate by itself': accounts.some(
      ({ record }) => record.lendingRates && !Array.isArray(record.lendingRates),
    ),
    'a list of lending rates': accounts.some(({ record }) => Array.isArray(record.lendingRates)),
    'rate tiers with conditions': townText.some((line) =>
      /"tiers":\[[^\]]*"applicabilityConditions"/.test(line),
    ),
    'a fee with discounts': accounts.some(({ record }) =>
      record.fees?.some((fee) => fee.discounts),
    ),
    'service points as strings and numbers together': plans.some(
      ({ servicePointIds = [] }) => new Set(servicePointIds.map((id) => typeof id)).size > 1,
    ),
    'a bill that is a credit': invoices.some((one) => Number(one.invoiceAmount) < 0),
    'a pending transaction with an execution time': transactions.some(
      (one) => one.status === 'PENDING' && one.executionDateTime,
    ),
    'a pending transaction with no time': transactions.some(
      (one) => one.status === 'PENDING' && !one.executionDateTime,
    ),
    'times in UTC': transactions.some((one) => one.postingDateTime?.endsWith('Z')),
    'times in winter': transactions.some((one) => one.postingDateTime?.endsWith('+10:00')),
    'times in summer': transactions.some((one) => one.postingDateTime?.endsWith('+11:00')),
    'a refund': transactions.some((one) => one.description?.startsWith('Refund')),
    'an amount without cents': transactions.some(({ amount }) => /^-\d+$/.test(amount)),
  })) {
    it(`has ${what}`, () => assert.ok(isThere))
  }

  for (const character of ['%', '_', '\\', '"', ',', 'é', '狸', '🍨']) {
    it(`has ${character} in what transactions say`, () => {
      assert.ok(
        transactions.some((one) => `${one.description}${one.reference}`.includes(character)),
      )
    })
  }

  it('can be reached only where nobody is', () => {
    const domains = townText.flatMap((line) =>
      [...line.matchAll(/@([\w.-]+)/g)].map(([, domain]) => domain),
    )
    const numbers = contacts.flatMap(({ record }) => record.telephones.map(({ number }) => number))
    const mobiles = customers.flatMap(({ phoneNumber }) => phoneNumber ?? [])

    assert.deepEqual([...new Set(domains)].sort(), ['example.com', 'example.net', 'example.org'])
    for (const number of numbers) {
      assert.match(number, /^(491570(006|110|15[6-9])|[2378](5550|7010)\d{4})$/)
    }
    for (const number of mobiles) assert.match(number, /^\+61 491 570 (006|110|15[6-9])$/)
  })
})

function repeats(list: readonly string[]): boolean {
  return new Set(list).size < list.length
}
