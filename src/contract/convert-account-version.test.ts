import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyOf } from '../../test/support/arbitrary.ts'
import { bankingAccountV3 } from './examples/banking.ts'
import {
  BankingAccount,
  BankingAccountV3,
  downgradeAccount,
  upgradeAccount,
  validator,
} from './public.ts'

const four = validator(BankingAccount)
const up = (fields: object) =>
  upgradeAccount({ accountId: 'a', ...fields } as unknown as BankingAccountV3)
const down = (fields: object) =>
  downgradeAccount({ accountId: 'a', ...fields } as unknown as BankingAccount)

const isBlank = (text: string | undefined) => text === undefined || text.trim() === ''

/** Whether every field of the account can be converted to version 4 and back. */
function isLossless(account: BankingAccountV3): boolean {
  const { depositRates = [], fees = [] } = account
  const rates = [...depositRates, ...[account.lendingRates ?? []].flat()]
  const conditions = rates.flatMap(({ tiers = [] }) =>
    tiers.flatMap(({ applicabilityConditions }) => applicabilityConditions ?? []),
  )
  return (
    conditions.every(
      ({ additionalInfo: text, additionalInfoUri: link }) =>
        (text === undefined && !(link !== undefined && isBlank(link))) ||
        !(isBlank(text) || text === link),
    ) && fees.every(isLosslessFee)
  )
}

function isLosslessFee(fee: NonNullable<BankingAccountV3['fees']>[number]): boolean {
  const rates = ['balanceRate', 'transactionRate', 'accruedRate'].filter((rate) => rate in fee)
  const isPriced = 'amount' in fee || rates.length > 0
  const { additionalInfo: text, name } = fee
  const isText = text !== name && !(isBlank(text) && text !== undefined)
  return (
    !(fee.feeType === 'VARIABLE' && (isPriced || !(isText || text === undefined))) &&
    !(fee.accrualFrequency && rates.length === 0)
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

  for (const [name, old, now] of [
    [
      'omits a condition without a text and a link',
      { depositRates: [{ tiers: [{ applicabilityConditions: {} }] }] },
      { depositRates: [{ tiers: [{ applicabilityConditions: [] }] }] },
    ],
    [
      'keeps the price of a variable fee, which has another type then',
      { fees: [{ name: 'Transfer', feeType: 'VARIABLE', amount: '1' }] },
      {
        fees: [
          {
            name: 'Transfer',
            feeType: 'OTHER',
            additionalInfo: 'Transfer',
            feeMethodUType: 'fixedAmount',
            fixedAmount: { amount: '1' },
          },
        ],
      },
    ],
  ] as const) {
    it(name, () => assert.deepEqual(up(old), { accountId: 'a', ...now }))
  }

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
      'a condition with a link alone',
      { lendingRates: [{ tiers: [{ applicabilityConditions: { additionalInfoUri: 'u' } }] }] },
      {
        lendingRates: [
          {
            tiers: [
              {
                applicabilityConditions: [
                  {
                    rateApplicabilityType: 'OTHER',
                    additionalInfo: 'u',
                    additionalInfoUri: 'u',
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
    [
      'a condition that says “Not specified”',
      {
        lendingRates: [
          { tiers: [{ applicabilityConditions: { additionalInfo: 'Not specified' } }] },
        ],
      },
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
      { fees: [{ name: 'Transfer', feeType: 'VARIABLE' }] },
      {
        fees: [
          {
            name: 'Transfer',
            feeType: 'OTHER',
            additionalInfo: 'Transfer',
            feeMethodUType: 'variable',
            variable: {},
          },
        ],
      },
    ],
    [
      'a variable fee without a text and a name',
      { fees: [{ feeType: 'VARIABLE' }] },
      { fees: [{ feeMethodUType: 'variable', variable: {} }] },
    ],
    [
      'a fee that says “Not specified”',
      { fees: [{ feeType: 'EVENT', additionalInfo: 'Not specified', amount: '1' }] },
      {
        fees: [
          {
            feeType: 'EVENT',
            additionalInfo: 'Not specified',
            feeMethodUType: 'fixedAmount',
            fixedAmount: { amount: '1' },
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
