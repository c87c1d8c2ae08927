import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { listLaterContent } from '../../test/support/account-version-three.ts'
import { anyOf } from '../../test/support/arbitrary.ts'
import { earlierTypes } from './enumerations.ts'
import { bankingAccount } from './examples/banking.ts'
import { BankingAccount, BankingAccountV3, downgradeAccount, validator } from './public.ts'

const three = validator(BankingAccountV3)
const down = (fields: object) =>
  downgradeAccount({ accountId: 'a', ...fields } as unknown as BankingAccount)

describe('downgrading a version-4 account', () => {
  it('always returns a valid version-3 account', () => {
    fc.assert(
      fc.property(anyOf(BankingAccount), (account) => {
        assert.deepEqual(three.problems(downgradeAccount(account)), [])
      }),
    )
  })

  it('always returns only fields and values that the standards define in version 3', () => {
    fc.assert(
      fc.property(anyOf(BankingAccount), (account) => {
        assert.deepEqual(listLaterContent(downgradeAccount(account)), [])
      }),
    )
  })

  for (const [type, earlier] of Object.entries(earlierTypes.feeType)) {
    it(`replaces the fee type ${type} with ${earlier}, and keeps it as text`, () => {
      const { fees } = down({
        fees: [{ feeType: type, additionalValue: '5', additionalInfo: 'Each time' }],
      })

      const text = type === 'OTHER' ? '5: Each time' : `${type} 5: Each time`
      assert.deepEqual(fees, [{ feeType: earlier, additionalInfo: text }])
    })
  }

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
        features: [{ featureType: 'OTHER', additionalInfo: 'FUNDS_AVAILABLE_AFTER P2D' }],
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
      { depositRates: [{ tiers: [{ applicabilityConditions: {} }] }] },
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
      'how a rate is applied',
      {
        depositRates: [{ rate: 1, applicationType: 'MATURITY' }],
        lendingRates: { rate: 1, applicationType: 'PERIODIC', applicationFrequency: 'P1M' },
      },
      {
        depositRates: [{ rate: 1 }],
        lendingRates: { rate: 1, applicationFrequency: 'P1M' },
      },
    ],
    [
      'a cap on a fee of a type that version 3 lacks',
      {
        fees: [
          {
            feeType: 'DISHONOUR',
            feeMethodUType: 'fixedAmount',
            fixedAmount: { amount: '5' },
            feeCap: '9',
          },
        ],
      },
      { fees: [{ feeType: 'EVENT', amount: '5', additionalInfo: 'DISHONOUR: at most 9' }] },
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
  ] as const) {
    it(`converts ${name}`, () => {
      assert.deepEqual(down(now), { accountId: 'a', ...old })
    })
  }
})
