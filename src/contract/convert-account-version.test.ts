import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyOf } from '../../test/support/arbitrary.ts'
import { bankingAccount, bankingAccountV3 } from './examples/banking.ts'
import {
  BankingAccount,
  BankingAccountV3,
  downgradeAccount,
  upgradeAccount,
  validator,
} from './index.ts'

const four = validator(BankingAccount)
const three = validator(BankingAccountV3)
const up = (fields: object) =>
  upgradeAccount({ accountId: 'a', ...fields } as unknown as BankingAccountV3)
const down = (fields: object) =>
  downgradeAccount({ accountId: 'a', ...fields } as unknown as BankingAccount)

/** Whether every field of the account can be converted to version 4 and back. */
function isLossless(account: BankingAccountV3): boolean {
  const { fees = [] } = account
  const hasPlaceholder = /"additionalInfo":"(\s*|Not specified)"/.test(JSON.stringify(account))
  return (
    !hasPlaceholder &&
    fees.every(({ feeType, accrualFrequency, ...fee }) => {
      const rates = ['balanceRate', 'transactionRate', 'accruedRate'].filter((rate) => rate in fee)
      const isPriced = 'amount' in fee || rates.length > 0
      const hasInfo = 'additionalInfo' in fee
      return (
        !(feeType === 'VARIABLE' && isPriced && hasInfo) &&
        !(accrualFrequency && rates.length === 0)
      )
    })
  )
}

describe('upgrading a version-3 account', () => {
  it('always returns a valid version-4 account', () => {
    fc.assert(
      fc.property(anyOf(BankingAccountV3), (account) => {
        assert.deepEqual(four.problems(upgradeAccount(account)), [])
      }),
    )
  })

  it('is reversed by downgrading, for every lossless account', () => {
    fc.assert(
      fc.property(anyOf(BankingAccountV3).filter(isLossless), (account) => {
        assert.deepEqual(downgradeAccount(upgradeAccount(account)), account)
      }),
    )
  })

  it('does not change a version-4 account', () => {
    fc.assert(
      fc.property(anyOf(BankingAccount), (account) => {
        assert.deepEqual(upgradeAccount(account as unknown as BankingAccountV3), account)
      }),
    )
  })

  it('leaves fields named like Object.prototype members to the validator', () => {
    const odd = JSON.parse(
      '{"accountId":"a","__proto__":1,"valueOf":2,"features":[{"toString":3}]}',
    )

    assert.deepEqual(JSON.stringify(upgradeAccount(odd)), JSON.stringify(odd))
    assert.equal(four.problems(upgradeAccount(odd)).length, 4)
  })

  it('does not modify its argument', () => {
    const before = structuredClone(bankingAccountV3)

    downgradeAccount(upgradeAccount(bankingAccountV3))

    assert.deepEqual(bankingAccountV3, before)
  })

  for (const [name, old, now] of [
    [
      'an activated feature',
      { features: [{ featureType: 'OFFSET', isActivated: true }] },
      { features: [{ featureType: 'OFFSET', isActivated: 'ACTIVATED' }] },
    ],
    [
      'a feature that is not activated',
      { features: [{ featureType: 'OFFSET', isActivated: false }] },
      { features: [{ featureType: 'OFFSET', isActivated: 'NOT_ACTIVATED' }] },
    ],
    [
      'numbers as tier bounds',
      { depositRates: [{ tiers: [{ minimumValue: 0, maximumValue: 1e21 }] }] },
      {
        depositRates: [{ tiers: [{ minimumValue: '0', maximumValue: '1000000000000000000000' }] }],
      },
    ],
    [
      'the condition of a tier',
      {
        lendingRates: {
          tiers: [
            { applicabilityConditions: { additionalInfo: 'New only', additionalInfoUri: 'u' } },
          ],
        },
      },
      {
        lendingRates: {
          tiers: [
            {
              applicabilityConditions: [
                {
                  rateApplicabilityType: 'OTHER',
                  additionalInfo: 'New only',
                  additionalInfoUri: 'u',
                },
              ],
            },
          ],
        },
      },
    ],
    [
      'a condition without a text',
      { lendingRates: [{ tiers: [{ applicabilityConditions: {} }] }] },
      {
        lendingRates: [
          {
            tiers: [
              {
                applicabilityConditions: [
                  { rateApplicabilityType: 'OTHER', additionalInfo: 'Not specified' },
                ],
              },
            ],
          },
        ],
      },
    ],
    [
      'an amount',
      { fees: [{ feeType: 'EVENT', amount: '2.50' }] },
      {
        fees: [
          { feeType: 'EVENT', feeMethodUType: 'fixedAmount', fixedAmount: { amount: '2.50' } },
        ],
      },
    ],
    [
      'a rate of the balance',
      { fees: [{ balanceRate: 0.01 }] },
      { fees: [{ feeMethodUType: 'rateBased', rateBased: { rateType: 'BALANCE', rate: 0.01 } }] },
    ],
    [
      'a rate of the transaction',
      { fees: [{ transactionRate: '0.01' }] },
      {
        fees: [
          { feeMethodUType: 'rateBased', rateBased: { rateType: 'TRANSACTION', rate: '0.01' } },
        ],
      },
    ],
    [
      'a rate of accrued interest',
      { fees: [{ accruedRate: 0.01, accrualFrequency: 'P1D' }] },
      {
        fees: [
          {
            feeMethodUType: 'rateBased',
            rateBased: { rateType: 'INTEREST_ACCRUED', rate: 0.01, accrualFrequency: 'P1D' },
          },
        ],
      },
    ],
    [
      'a variable fee',
      { fees: [{ feeType: 'VARIABLE', additionalInfo: 'It depends' }] },
      {
        fees: [
          {
            feeType: 'OTHER',
            additionalInfo: 'It depends',
            feeMethodUType: 'variable',
            variable: {},
          },
        ],
      },
    ],
    [
      'a variable fee without a text',
      { fees: [{ feeType: 'VARIABLE' }] },
      {
        fees: [
          {
            feeType: 'OTHER',
            additionalInfo: 'Not specified',
            feeMethodUType: 'variable',
            variable: {},
          },
        ],
      },
    ],
    [
      'a discount on the fee',
      { fees: [{ amount: '1', discounts: [{ discountType: 'BALANCE', feeRate: 0.5 }] }] },
      {
        fees: [
          {
            feeMethodUType: 'fixedAmount',
            fixedAmount: { amount: '1' },
            discounts: [
              {
                discountType: 'BALANCE',
                discountMethodUType: 'rateBased',
                rateBased: { rateType: 'FEE', rate: 0.5 },
              },
            ],
          },
        ],
      },
    ],
  ] as const) {
    it(`converts ${name} in both directions`, () => {
      assert.deepEqual(up(old), { accountId: 'a', ...now })
      assert.deepEqual(down(now), { accountId: 'a', ...old })
    })
  }
})

describe('downgrading a version-4 account', () => {
  it('always returns a valid version-3 account', () => {
    fc.assert(
      fc.property(anyOf(BankingAccount), (account) => {
        assert.deepEqual(three.problems(downgradeAccount(account)), [])
      }),
    )
  })

  it('keeps the order of the fields', () => {
    const { users: _, ...rest } = bankingAccount
    const fields = Object.keys(downgradeAccount(rest))

    assert.deepEqual(fields, Object.keys(rest))
  })

  for (const [name, now, old] of [
    [
      'an unknown activation',
      { features: [{ featureType: 'OFFSET', isActivated: 'UNKNOWN' }] },
      { features: [{ featureType: 'OFFSET' }] },
    ],
    [
      'a feature that version 3 lacks',
      { features: [{ featureType: 'FUNDS_AVAILABLE_AFTER', additionalValue: 'P2D' }] },
      {
        features: [
          { featureType: 'OTHER', additionalInfo: 'FUNDS_AVAILABLE_AFTER', additionalValue: 'P2D' },
        ],
      },
    ],
    [
      'a balance transfer',
      { lendingRates: [{ lendingRateType: 'BALANCE_TRANSFER' }, { lendingRateType: 'FIXED' }] },
      { lendingRates: [{ lendingRateType: 'FIXED' }] },
    ],
    [
      'a balance transfer as the only lending rate',
      { lendingRates: { lendingRateType: 'BALANCE_TRANSFER' } },
      {},
    ],
    [
      'purposes and repayments that version 3 lacks',
      {
        lendingRates: { rate: 1, repaymentType: 'UNCONSTRAINED', loanPurpose: 'OTHER' },
        loan: { repaymentType: 'OTHER' },
      },
      { lendingRates: { rate: 1 }, loan: {} },
    ],
    [
      'conditions of a rate itself',
      {
        depositRates: [
          { rate: 1, applicabilityConditions: [{ rateApplicabilityType: 'NEW_CUSTOMER' }] },
        ],
      },
      { depositRates: [{ rate: 1, additionalInfo: 'NEW_CUSTOMER' }] },
    ],
    [
      'several conditions of a tier',
      {
        depositRates: [
          {
            tiers: [
              {
                applicabilityConditions: [
                  {
                    rateApplicabilityType: 'MIN_DEPOSITS',
                    additionalValue: '5',
                    additionalInfo: 'each month',
                  },
                  { rateApplicabilityType: 'ONLINE_ONLY' },
                  {
                    rateApplicabilityType: 'OTHER',
                    additionalInfo: 'Ask us',
                    additionalInfoUri: 'u',
                  },
                ],
              },
            ],
          },
        ],
      },
      {
        depositRates: [
          {
            tiers: [
              {
                applicabilityConditions: {
                  additionalInfo: 'MIN_DEPOSITS 5: each month; ONLINE_ONLY; Ask us',
                  additionalInfoUri: 'u',
                },
              },
            ],
          },
        ],
      },
    ],
    [
      'no conditions',
      { depositRates: [{ tiers: [{ applicabilityConditions: [] }] }] },
      { depositRates: [{ tiers: [{}] }] },
    ],
    [
      'a cap and a range',
      {
        fees: [
          {
            feeCap: '9',
            feeCapPeriod: 'P1Y',
            feeMethodUType: 'rateBased',
            rateBased: { rateType: 'BALANCE', rate: 1, amountRange: { feeMinimum: '1' } },
          },
        ],
      },
      { fees: [{ balanceRate: 1, additionalInfo: 'from 1; at most 9 in P1Y' }] },
    ],
    [
      'a variable fee of a known type',
      {
        fees: [
          {
            feeType: 'EVENT',
            additionalInfo: 'i',
            feeMethodUType: 'variable',
            variable: { feeMinimum: '1' },
          },
        ],
      },
      { fees: [{ feeType: 'VARIABLE', additionalInfo: 'i; from 1; EVENT' }] },
    ],
    [
      'a fee of unspecified type with a fixed amount',
      {
        fees: [
          {
            feeType: 'OTHER',
            additionalInfo: 'Not specified',
            feeMethodUType: 'fixedAmount',
            fixedAmount: { amount: '1' },
          },
        ],
      },
      { fees: [{ feeType: 'VARIABLE', amount: '1' }] },
    ],
  ] as const) {
    it(`converts ${name}`, () => {
      assert.deepEqual(down(now), { accountId: 'a', ...old })
    })
  }
})
