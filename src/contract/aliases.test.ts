import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anyOf } from '../../test/support/arbitrary.ts'
import { formatDecimal } from './decimal.ts'
import {
  BankingAccount,
  EnergyAccount,
  normalizer,
  ProductInput,
  ScheduledPayment,
  validator,
} from './public.ts'

const contract = (fields: object) => ({
  accountId: 'a',
  plans: [{ planDetail: { electricityContract: fields } }],
})

describe('normalising a record', () => {
  for (const [name, schema, given, kept] of [
    [
      'recurrenceUType',
      ScheduledPayment,
      { recurrence: { recurrenceUType: 'onceOff', nextPaymentDate: 'x' } },
      { recurrence: { reccurenceUType: 'onceOff', nextPaymentDate: 'x' } },
    ],
    [
      'payeeId',
      ScheduledPayment,
      { paymentSet: { to: { payeeId: 'p' } } },
      { paymentSet: { to: { payeeID: 'p' } } },
    ],
    [
      'rateApplicablityType',
      BankingAccount,
      { lendingRates: { applicabilityConditions: [{ rateApplicablityType: 'MIN_DEPOSITS' }] } },
      { lendingRates: { applicabilityConditions: [{ rateApplicabilityType: 'MIN_DEPOSITS' }] } },
    ],
    [
      'feeMethodUType of a discount',
      BankingAccount,
      {
        fees: [
          {
            feeMethodUType: 'variable',
            discounts: [{ feeMethodUType: 'fixedAmount', fixedAmount: { amount: '1' } }],
          },
        ],
      },
      {
        fees: [
          {
            feeMethodUType: 'variable',
            discounts: [{ discountMethodUType: 'fixedAmount', fixedAmount: { amount: '1' } }],
          },
        ],
      },
    ],
    [
      'a number as a tier bound',
      BankingAccount,
      { depositRates: [{ tiers: [{ minimumValue: 0.5 }] }] },
      { depositRates: [{ tiers: [{ minimumValue: '0.5' }] }] },
    ],
    [
      'dailySupplyCharge of a tariff',
      EnergyAccount,
      contract({ tariffPeriod: [{ dailySupplyCharge: '1' }] }),
      contract({ tariffPeriod: [{ dailySupplyCharges: '1' }] }),
    ],
    [
      'dailySupplyCharges of a controlled load',
      EnergyAccount,
      contract({ controlledLoad: [{ singleRate: { dailySupplyCharges: '1' } }] }),
      contract({ controlledLoad: [{ singleRate: { dailySupplyCharge: '1' } }] }),
    ],
    [
      'camelCase tier keys of a product',
      ProductInput,
      {
        lending_rates: [
          {
            tiers: [
              {
                unitOfMeasure: 'DAY',
                maximumValue: 30,
                minimumValue: '1',
                rateApplicationMethod: 'PER_TIER',
                applicabilityConditions: [{ rateApplicabilityType: 'OTHER', additionalInfo: 'i' }],
              },
            ],
          },
        ],
      },
      {
        lending_rates: [
          {
            tiers: [
              {
                unit_of_measure: 'DAY',
                maximum_value: '30',
                minimum_value: '1',
                rate_application_method: 'PER_TIER',
                applicability_conditions: [
                  { rate_applicability_type: 'OTHER', additional_info: 'i' },
                ],
              },
            ],
          },
        ],
      },
    ],
    [
      'the fields that a read adds to a product, and drops them',
      ProductInput,
      {
        product_id: 'p',
        last_updated: 'x',
        fees: [
          {
            discounts: [
              {
                discount_method_u_type: 'rateBased',
                amount: '1',
                fee_rate: '2',
                rate_based: { amount_range: { fee_maximum: '3' } },
              },
            ],
          },
        ],
      },
      {
        fees: [
          {
            discounts: [
              {
                discount_method_u_type: 'rateBased',
                rate_based: { amount_range: { discount_maximum: '3' } },
              },
            ],
          },
        ],
      },
    ],
  ] as const) {
    it(`accepts ${name}`, () => assert.deepEqual(normalizer(schema)(given), kept))
  }

  it('keeps the legacy amount of a discount without a method, for the validator to reject', () => {
    const given = { fees: [{ discounts: [{ amount: '1' }] }] }

    assert.deepEqual(normalizer(ProductInput)(given), given)
  })

  it('leaves a second alias of the same field for the validator to reject', () => {
    const given = {
      lending_rates: [
        {
          tiers: [
            {
              applicability_conditions: [
                { rateApplicabilityType: 'NEW_ACCOUNTS', rateApplicablityType: 'ONLINE_ONLY' },
              ],
            },
          ],
        },
      ],
    }

    const [problem] = validator(ProductInput)
      .problems(normalizer(ProductInput)(given))
      .filter(({ reason }) => reason.startsWith('is not'))

    assert.equal(
      problem?.path,
      'lending_rates[0].tiers[0].applicability_conditions[0].rateApplicablityType',
    )
  })

  it('keeps the order of the fields', () => {
    const kept = normalizer(ScheduledPayment)({
      recurrence: { recurrenceUType: 'onceOff', nextPaymentDate: 'x' },
      nickname: 'n',
    })

    assert.equal(
      JSON.stringify(kept),
      '{"recurrence":{"reccurenceUType":"onceOff","nextPaymentDate":"x"},"nickname":"n"}',
    )
  })

  it('leaves an alias next to the field itself for the validator to reject', () => {
    const both = normalizer(BankingAccount)({
      accountId: 'a',
      depositRates: [
        {
          applicabilityConditions: [
            { rateApplicablityType: 'NEW_ACCOUNTS', rateApplicabilityType: 'NEW_ACCOUNTS' },
          ],
        },
      ],
    })

    assert.deepEqual(validator(BankingAccount).problems(both), [
      {
        path: 'depositRates[0].applicabilityConditions[0].rateApplicablityType',
        reason: 'is not a field of this record',
      },
    ])
  })

  it('returns the same object if nothing changes', () => {
    fc.assert(
      fc.property(anyOf(BankingAccount), anyOf(ScheduledPayment), (account, payment) => {
        assert.equal(normalizer(BankingAccount)(account), account)
        assert.equal(normalizer(ScheduledPayment)(payment), payment)
      }),
    )
  })

  it('leaves any other JSON value unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.deepEqual(normalizer(BankingAccount)(value), value)
      }),
    )
  })
})

describe('formatDecimal', () => {
  it('returns a plain decimal that parses to the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = formatDecimal(value)

        assert.match(text, /^-?\d+(\.\d+)?$/)
        assert.equal(Number(text), value + 0)
      }),
    )
  })
})
