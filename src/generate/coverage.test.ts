import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { filterLines, filterRecords, parseLine } from '../../test/support/generated-lines.ts'
import { values } from '../contract/enumerations.ts'
import { findPublicationFaults, recordTypes } from '../contract/index.ts'
import { generateLines } from './index.ts'

const until = '2026-03-01T09:30:00+11:00'
const lineTexts = [...generateLines({ customers: 200, seed: 'coverage', until, transactions: 120 })]
const lines = lineTexts.map(parseLine)

describe('generated data', () => {
  const accounts = filterLines(lines, 'banking.account')
  const transactions = filterRecords(lines, 'banking.transaction')
  const balances = filterRecords(lines, 'banking.balance')
  const energy = filterLines(lines, 'energy.account')
  const invoices = filterRecords(lines, 'energy.invoice')
  const billing = filterRecords(lines, 'energy.billing')
  const customers = filterRecords(lines, 'customer')
  const emails = customers.map(({ email }) => email ?? '')
  const products = filterRecords(lines, 'product')
  const payments = filterRecords(lines, 'banking.scheduledPayment')
  const contacts = filterLines(lines, 'account.contact')
  const plans = energy.flatMap(({ record }) => record.plans ?? [])
  const contracts = plans.flatMap(({ planDetail }) => planDetail?.electricityContract ?? [])
  const accountIdsWithHistory = new Set(transactions.map(({ accountId }) => accountId))
  const holderIds = new Set(
    [...accounts, ...energy].flatMap(({ holders = [] }) => holders.map((one) => one.customerId)),
  )

  it('contains only products that can be published', () => {
    assert.deepEqual(
      products.flatMap((product) => findPublicationFaults(product)),
      [],
    )
  })

  for (const [name, actual, expected] of [
    // All generated data is shared.
    [
      'record',
      lines.map(({ type }) => type),
      Object.keys(recordTypes).filter((type) => type !== 'restriction'),
    ],
    [
      'product category in the catalogue',
      products.map((one) => one.product_category),
      values.productCategory,
    ],
    [
      'product category of an account',
      accounts.map((one) => one.record.productCategory),
      values.productCategory,
    ],
    ['transaction type', transactions.map(({ type }) => type), values.transactionType],
    ['transaction status', transactions.map(({ status }) => status), values.transactionStatus],
    ['fuel type', plans.map(({ planDetail }) => planDetail?.fuelType), values.fuelType],
    [
      'open status',
      [...accounts, ...energy].map((one) => one.record.openStatus),
      values.openStatus,
    ],
    ['payment status', invoices.map((one) => one.paymentStatus), values.paymentStatus],
    ['scheduled payment status', payments.map((one) => one.status), values.scheduledPaymentStatus],
    [
      'payment target',
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
      'account ownership',
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
    it(`includes every ${name}`, () => {
      const found = new Set<string | undefined>(actual)

      assert.deepEqual(
        expected.filter((value) => !found.has(value)),
        [],
      )
    })
  }

  for (const [name, isIncluded] of Object.entries({
    'a customer without accounts': customers.some(({ id }) => !holderIds.has(id)),
    'a customer with only the required fields': customers.some((one) => !one.phoneNumber),
    'two customers with the same e-mail address': hasDuplicates(emails),
    'two customers whose e-mail addresses differ only in case':
      new Set(emails.map((email) => email.toLowerCase())).size < new Set(emails).size,
    'an account without a history': accounts.some(
      ({ record }) => !accountIdsWithHistory.has(record.accountId),
    ),
    'an energy account without invoices': energy.some(
      ({ record }) => !invoices.some(({ accountId }) => accountId === record.accountId),
    ),
    'an account that its second holder does not own': accounts.some(
      ({ holders = [] }) => holders[0]?.isOwned && holders[1]?.isOwned === false,
    ),
    'an account that both holders own': accounts.some(({ holders = [] }) => holders[1]?.isOwned),
    'an energy account with two holders': energy.some(({ holders = [] }) => holders.length > 1),
    'a single lending rate as an object': accounts.some(
      ({ record }) => record.lendingRates && !Array.isArray(record.lendingRates),
    ),
    'a list of lending rates': accounts.some(({ record }) => Array.isArray(record.lendingRates)),
    'rate tiers with conditions': lineTexts.some((line) =>
      /"tiers":\[[^\]]*"applicabilityConditions"/.test(line),
    ),
    'a fee with discounts': accounts.some(({ record }) =>
      record.fees?.some((fee) => fee.discounts),
    ),
    'service point ids as strings and numbers in one plan': plans.some(
      ({ servicePointIds = [] }) => new Set(servicePointIds.map((id) => typeof id)).size > 1,
    ),
    'an invoice with a credit balance': invoices.some((one) => Number(one.balanceAtIssue) < 0),
    'an invoice with charges of the account': invoices.some((one) => one.accountCharges),
    'a supply charge with bands': contracts.some(({ tariffPeriod = [] }) =>
      tariffPeriod.some((period) => period.bandedDailySupplyCharges),
    ),
    'a pending transaction with an execution time': transactions.some(
      (one) => one.status === 'PENDING' && one.executionDateTime,
    ),
    'a pending transaction with no time': transactions.some(
      (one) => one.status === 'PENDING' && !one.executionDateTime,
    ),
    'times in UTC': transactions.some((one) => one.postingDateTime?.endsWith('Z')),
    'times in standard time': transactions.some((one) => one.postingDateTime?.endsWith('+10:00')),
    'times in daylight saving time': transactions.some((one) =>
      one.postingDateTime?.endsWith('+11:00'),
    ),
    'a refund': transactions.some((one) => one.description?.startsWith('Refund')),
    'an amount without cents': transactions.some(({ amount }) => /^-\d+$/.test(amount)),
  })) {
    it(`includes ${name}`, () => assert.ok(isIncluded))
  }

  for (const character of ['%', '_', '\\', '"', ',', 'é', '狸', '🍨']) {
    it(`includes ${character} in the text of a transaction`, () => {
      assert.ok(
        transactions.some((one) => `${one.description}${one.reference}`.includes(character)),
      )
    })
  }

  it('contains only reserved e-mail domains and phone numbers', () => {
    const domains = lineTexts.flatMap((line) =>
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

function hasDuplicates(list: readonly string[]): boolean {
  return new Set(list).size < list.length
}
