import { bankingTransaction } from '../../src/contract/examples/banking.ts'
import { energyAccount, energyInvoice, energyUsage } from '../../src/contract/examples/energy.ts'
import {
  BankingAccount,
  BankingAccountV3,
  BankingTransaction,
  EnergyAccount,
  EnergyBillingTransaction,
  EnergyInvoice,
} from '../../src/contract/index.ts'
import { inputRuleCases, type RuleCase } from './input-rule-cases.ts'
import { ownerRuleCases } from './owner-rule-cases.ts'
import { paymentRuleCases } from './payment-rule-cases.ts'

const { postingDateTime: _, ...unposted } = bankingTransaction
const account = (fields: object) => ({ accountId: 'a', ...fields })
const tariff = (fields: object) =>
  account({ plans: [{ planDetail: { electricityContract: { tariffPeriod: [fields] } } }] })

export const ruleCases: readonly RuleCase[] = [
  ...inputRuleCases,
  ...paymentRuleCases,
  ...ownerRuleCases,
  ['a posted transaction without a posting time', BankingTransaction, unposted, []],
  ['a pending one without', BankingTransaction, { ...unposted, status: 'PENDING' }, []],
  [
    'a posting time that is not in the calendar',
    BankingTransaction,
    { ...unposted, postingDateTime: '2025-02-30T00:00:00Z' },
    ['postingDateTime must be an RFC 3339 date-time'],
  ],
  [
    'a posting time with ten fraction digits',
    BankingTransaction,
    { ...unposted, postingDateTime: '2025-02-28T00:00:00.0123456789Z' },
    ['postingDateTime must be an RFC 3339 date-time with at most 9 fraction digits'],
  ],
  [
    'a posting time with a second that does not exist',
    BankingTransaction,
    { ...unposted, postingDateTime: '2025-02-28T12:00:60Z' },
    ['postingDateTime must be an RFC 3339 date-time'],
  ],
  [
    'a leap second',
    BankingTransaction,
    { ...unposted, postingDateTime: '2017-01-01T10:59:60+11:00' },
    [],
  ],
  [
    'a tier bound that is a number',
    BankingAccount,
    account({ depositRates: [{ tiers: [{}, { minimumValue: 5 }] }] }),
    ['depositRates[0].tiers[1].minimumValue must be a decimal string'],
  ],
  [
    'an invalid duration',
    BankingAccount,
    account({ depositRates: [{ calculationFrequency: 'P1X' }] }),
    ['depositRates[0].calculationFrequency must be an ISO 8601 duration'],
  ],
  [
    'a lending rate as one object',
    BankingAccount,
    account({ lendingRates: { rate: 'x' } }),
    ['lendingRates.rate must be a number'],
  ],
  [
    'a lending rate in a list',
    BankingAccount,
    account({ lendingRates: [{}, { rate: 'x' }] }),
    ['lendingRates[1].rate must be a number'],
  ],
  [
    'lending rates that are neither an object nor a list',
    BankingAccount,
    account({ lendingRates: 'low' }),
    ['lendingRates must be an object or a list'],
  ],
  [
    'a fee method without its sibling',
    BankingAccount,
    account({ fees: [{ feeMethodUType: 'rateBased' }] }),
    ['fees[0].rateBased is required when feeMethodUType is rateBased'],
  ],
  [
    'a fee method with an additional sibling',
    BankingAccount,
    account({ fees: [{ feeMethodUType: 'variable', variable: {}, fixedAmount: { amount: '1' } }] }),
    ['fees[0].fixedAmount must be absent when feeMethodUType is not fixedAmount'],
  ],
  [
    'a sibling without a method',
    BankingAccount,
    account({ fees: [{ fixedAmount: { amount: '1' } }] }),
    ['fees[0].fixedAmount must be absent when feeMethodUType is not fixedAmount'],
  ],
  ['a fee with neither', BankingAccount, account({ fees: [{ name: 'f' }] }), []],
  [
    'a discount with the wrong sibling',
    BankingAccount,
    account({
      fees: [
        {
          discounts: [
            { discountMethodUType: 'fixedAmount', rateBased: { rateType: 'FEE', rate: 1 } },
          ],
        },
      ],
    }),
    [
      'fees[0].discounts[0].fixedAmount is required when discountMethodUType is fixedAmount',
      'fees[0].discounts[0].rateBased must be absent when discountMethodUType is not rateBased',
    ],
  ],
  [
    'an address with the wrong sibling',
    BankingAccount,
    account({ addresses: [{ addressUType: 'paf', simple: {} }] }),
    [
      'addresses[0].simple must be absent when addressUType is not simple',
      'addresses[0].paf is required when addressUType is paf',
    ],
  ],
  [
    'an address without a discriminator',
    BankingAccount,
    account({ addresses: [{}] }),
    ['addresses[0].addressUType is required'],
  ],
  [
    'a feature of type OTHER without a text',
    BankingAccount,
    account({ features: [{ featureType: 'OTHER' }] }),
    ['features[0].additionalInfo is required when featureType is OTHER'],
  ],
  [
    'a condition of type OTHER without a text',
    BankingAccount,
    account({ depositRates: [{ applicabilityConditions: [{ rateApplicabilityType: 'OTHER' }] }] }),
    [
      'depositRates[0].applicabilityConditions[0].additionalInfo is required when rateApplicabilityType is OTHER',
    ],
  ],
  [
    'a periodic fee with an invalid period',
    BankingAccount,
    account({ fees: [{ feeType: 'PERIODIC', additionalValue: 'monthly' }] }),
    ['fees[0].additionalValue must be an ISO 8601 duration when feeType is PERIODIC'],
  ],
  [
    'an event fee with any text',
    BankingAccount,
    account({ fees: [{ feeType: 'EVENT', additionalValue: 'monthly' }] }),
    [],
  ],
  [
    'an introductory discount with an invalid period',
    BankingAccount,
    account({
      fees: [
        {
          discounts: [
            {
              eligibility: [
                { discountEligibilityType: 'INTRODUCTORY', additionalValue: 'six months' },
                { discountEligibilityType: 'INTRODUCTORY', additionalValue: 'P6M' },
              ],
            },
          ],
        },
      ],
    }),
    [
      'fees[0].discounts[0].eligibility[0].additionalValue must be an ISO 8601 duration when discountEligibilityType is INTRODUCTORY',
    ],
  ],
  [
    'the removed fee type',
    BankingAccount,
    account({ fees: [{ feeType: 'VARIABLE' }] }),
    [
      'fees[0].feeType must be one of CASH_ADVANCE, DEPOSIT, DISHONOUR, ENQUIRY, EVENT, EXIT, LATE_PAYMENT, OTHER, PAYMENT, PERIODIC, PURCHASE, REPLACEMENT, TRANSACTION, UPFRONT, UPFRONT_PER_PLAN, VARIATION, WITHDRAWAL',
    ],
  ],
  [
    'an activation that is a boolean',
    BankingAccount,
    account({ features: [{ featureType: 'OFFSET', isActivated: true }] }),
    ['features[0].isActivated must be one of ACTIVATED, NOT_ACTIVATED, UNKNOWN'],
  ],
  [
    'a version-3 activation that is a string',
    BankingAccountV3,
    account({ features: [{ featureType: 'OFFSET', isActivated: 'ACTIVATED' }] }),
    ['features[0].isActivated must be true or false'],
  ],
  [
    'a version-3 fee with two amounts',
    BankingAccountV3,
    account({ fees: [{ amount: '1', feeRate: 1, balanceRate: 1 }] }),
    [
      'fees[0].balanceRate must be absent when amount is present',
      'fees[0].feeRate is not a field of this record',
    ],
  ],
  [
    'a version-3 balance transfer',
    BankingAccountV3,
    account({ lendingRates: { lendingRateType: 'BALANCE_TRANSFER' } }),
    [
      'lendingRates.lendingRateType must be one of BUNDLE_DISCOUNT_FIXED, BUNDLE_DISCOUNT_VARIABLE, CASH_ADVANCE, DISCOUNT, FIXED, FLOATING, INTRODUCTORY, MARKET_LINKED, PENALTY, PURCHASE, VARIABLE',
    ],
  ],
  [
    'a joint account without users',
    BankingAccount,
    account({ accountOwnership: 'TWO_PARTY' }),
    ['users is required when accountOwnership is TWO_PARTY or MANY_PARTY'],
  ],
  [
    'a joint account with an empty list of users',
    BankingAccount,
    account({ accountOwnership: 'MANY_PARTY', users: [] }),
    ['users must not be empty when accountOwnership is TWO_PARTY or MANY_PARTY'],
  ],
  [
    'an organisation’s account without users',
    BankingAccount,
    account({ complexAccountType: 'ORGANISATION' }),
    ['users is required when complexAccountType is present and not INDIVIDUAL or SOLE_TRADER'],
  ],
  [
    'an account of an unknown type without users',
    BankingAccount,
    account({ complexAccountType: 'SMSF' }),
    ['users is required when complexAccountType is present and not INDIVIDUAL or SOLE_TRADER'],
  ],
  [
    'an account of an unknown type with users',
    EnergyAccount,
    account({ complexAccountType: 'SMSF', users: [{ id: '7' }] }),
    [],
  ],
  [
    'an organisation’s account with users',
    BankingAccount,
    account({ complexAccountType: 'ORGANISATION', users: [{ id: 7 }] }),
    [],
  ],
  [
    'an individual’s account without users',
    BankingAccount,
    account({ accountOwnership: 'ONE_PARTY', complexAccountType: 'INDIVIDUAL' }),
    [],
  ],
  [
    'a sole trader’s account without users',
    EnergyAccount,
    account({ complexAccountType: 'SOLE_TRADER' }),
    [],
  ],
  [
    'a banking user whose id is text',
    BankingAccount,
    account({ users: [{ id: '7' }] }),
    ['users[0].id must be a number'],
  ],
  [
    'an energy user whose id is a number',
    EnergyAccount,
    account({ users: [{ id: 7 }] }),
    ['users[0].id must be a string of 1 to 256 printable characters'],
  ],
  [
    'a joint energy account without users',
    EnergyAccount,
    account({ complexAccountType: 'JOINT' }),
    ['users is required when complexAccountType is present and not INDIVIDUAL or SOLE_TRADER'],
  ],
  [
    'a tariff with the wrong block',
    EnergyAccount,
    tariff({ rateBlockUType: 'singleRate', demandCharges: [{}] }),
    [
      'plans[0].planDetail.electricityContract.tariffPeriod[0].singleRate is required when rateBlockUType is singleRate',
      'plans[0].planDetail.electricityContract.tariffPeriod[0].demandCharges must be absent when rateBlockUType is not demandCharges',
    ],
  ],
  [
    'bands of a daily supply charge without a price',
    EnergyAccount,
    tariff({
      rateBlockUType: 'singleRate',
      singleRate: {},
      bandedDailySupplyCharges: [{ volume: 30 }],
    }),
    [
      'plans[0].planDetail.electricityContract.tariffPeriod[0].bandedDailySupplyCharges[0].unitPrice is required',
    ],
  ],
  [
    'charges on an invoice without an amount, and with a number',
    EnergyInvoice,
    {
      ...energyInvoice,
      electricity: { otherCharges: [{ type: 'NETWORK' }] },
      accountCharges: { totalCharges: 3 },
    },
    [
      'electricity.otherCharges[0].amount is required',
      'accountCharges.totalCharges must be a decimal string',
    ],
  ],
  [
    'a usage with an additional payment',
    EnergyBillingTransaction,
    { ...energyUsage, payment: { amount: '1' } },
    ['payment must be absent when transactionUType is not payment'],
  ],
  [
    'a billing time with a zone',
    EnergyBillingTransaction,
    { ...energyUsage, executionDateTime: '2025-04-01T00:30:00Z' },
    ['executionDateTime must be a date-time without a zone'],
  ],
  [
    'a billing time with ten fraction digits',
    EnergyBillingTransaction,
    { ...energyUsage, executionDateTime: '2025-04-01T00:30:00.0123456789' },
    ['executionDateTime must be a date-time without a zone with at most 9 fraction digits'],
  ],
  [
    'another charge with factors and adjustments',
    EnergyBillingTransaction,
    {
      accountId: 'a',
      transactionUType: 'otherCharges',
      executionDateTime: '2025-04-01T00:30:00',
      otherCharges: {
        amount: '1.00',
        calculationFactors: [{ type: 'DLF', value: 1.05 }],
        adjustments: [{ amount: '0.10', description: 'Rounding' }],
      },
    },
    [],
  ],
  [
    'a time-varying tariff with a name',
    EnergyAccount,
    account({
      plans: [
        {
          planDetail: {
            electricityContract: {
              solarFeedInTariff: [
                {
                  tariffUType: 'timeVaryingTariffs',
                  timeVaryingTariffs: [{ displayName: 'Peak' }],
                },
              ],
            },
          },
        },
      ],
    }),
    [],
  ],
  ['service points as strings and numbers', EnergyAccount, energyAccount, []],
  [
    'a service point that is neither a string nor a number',
    EnergyAccount,
    account({ plans: [{ servicePointIds: [true] }] }),
    ['plans[0].servicePointIds[0] must be a string of at least 1 character or a number'],
  ],
  [
    'a field named __proto__',
    BankingAccount,
    JSON.parse('{"accountId":"a","__proto__":{}}'),
    ['__proto__ is not a field of this record'],
  ],
  [
    'a field with a long name and control characters',
    BankingAccount,
    account({ [`\u001b[31m${'x'.repeat(100)}`]: 1 }),
    [`\\u001b[31m${'x'.repeat(59)}… is not a field of this record`],
  ],
]
