import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  bankingAccountV3 as exampleV3,
  bankingAccount as exampleV4,
} from '../../src/contract/examples/banking.ts'
import { describe } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import { sharedProvider } from '../support/provider.ts'

const path = '/v1/banking/customer/ana/accounts?page-size=1000'

const rate = { depositRateType: 'VARIABLE', rate: 0.01 }
const lending = { lendingRateType: 'VARIABLE', rate: 0.1 }
const fee = { name: 'Fee', feeType: 'EVENT' }

/** Fields of version 3 and their equivalent in version 4. Conversion in reversible directions restores them. */
const reversible: Readonly<Record<string, readonly [object, object]>> = {
  'isActivated: true': [
    { features: [{ featureType: 'NPP_PAYID', isActivated: true }] },
    { features: [{ featureType: 'NPP_PAYID', isActivated: 'ACTIVATED' }] },
  ],
  'isActivated: false': [
    { features: [{ featureType: 'NPP_PAYID', isActivated: false }] },
    { features: [{ featureType: 'NPP_PAYID', isActivated: 'NOT_ACTIVATED' }] },
  ],
  'tier bounds as numbers': [
    { depositRates: [{ ...rate, tiers: [{ minimumValue: 0, maximumValue: 50000.5 }] }] },
    { depositRates: [{ ...rate, tiers: [{ minimumValue: '0', maximumValue: '50000.5' }] }] },
  ],
  'an object of conditions on a tier': [
    {
      lendingRates: [
        { ...lending, tiers: [{ applicabilityConditions: { additionalInfo: 'New' } }] },
      ],
    },
    {
      lendingRates: [
        {
          ...lending,
          tiers: [
            {
              applicabilityConditions: [{ rateApplicabilityType: 'OTHER', additionalInfo: 'New' }],
            },
          ],
        },
      ],
    },
  ],
  'an object of conditions without text': [
    { depositRates: [{ ...rate, tiers: [{ applicabilityConditions: {} }] }] },
    {
      depositRates: [
        {
          ...rate,
          tiers: [{ applicabilityConditions: [] }],
        },
      ],
    },
  ],
  'a fee amount': [
    { fees: [{ ...fee, amount: '2.50' }] },
    { fees: [{ ...fee, feeMethodUType: 'fixedAmount', fixedAmount: { amount: '2.50' } }] },
  ],
  'a fee balanceRate': [
    { fees: [{ ...fee, balanceRate: '0.02' }] },
    {
      fees: [
        { ...fee, feeMethodUType: 'rateBased', rateBased: { rateType: 'BALANCE', rate: '0.02' } },
      ],
    },
  ],
  'a fee transactionRate': [
    { fees: [{ ...fee, transactionRate: '0.03' }] },
    {
      fees: [
        {
          ...fee,
          feeMethodUType: 'rateBased',
          rateBased: { rateType: 'TRANSACTION', rate: '0.03' },
        },
      ],
    },
  ],
  'a fee accruedRate with its frequency': [
    { fees: [{ ...fee, accruedRate: '0.04', accrualFrequency: 'P1D' }] },
    {
      fees: [
        {
          ...fee,
          feeMethodUType: 'rateBased',
          rateBased: { rateType: 'INTEREST_ACCRUED', rate: '0.04', accrualFrequency: 'P1D' },
        },
      ],
    },
  ],
  'the fee type VARIABLE': [
    { fees: [{ name: 'Fee', feeType: 'VARIABLE', additionalInfo: 'It depends' }] },
    {
      fees: [
        {
          name: 'Fee',
          feeType: 'OTHER',
          additionalInfo: 'It depends',
          feeMethodUType: 'variable',
          variable: {},
        },
      ],
    },
  ],
  'the fee type VARIABLE without text': [
    { fees: [{ name: 'Fee', feeType: 'VARIABLE' }] },
    {
      fees: [
        {
          name: 'Fee',
          feeType: 'OTHER',
          additionalInfo: 'Fee',
          feeMethodUType: 'variable',
          variable: {},
        },
      ],
    },
  ],
  'a discount feeRate': [
    { fees: [{ ...fee, amount: '1', discounts: [{ discountType: 'BALANCE', feeRate: '0.5' }] }] },
    {
      fees: [
        {
          ...fee,
          feeMethodUType: 'fixedAmount',
          fixedAmount: { amount: '1' },
          discounts: [
            {
              discountType: 'BALANCE',
              discountMethodUType: 'rateBased',
              rateBased: { rateType: 'FEE', rate: '0.5' },
            },
          ],
        },
      ],
    },
  ],
}

/** Fields that only version 4 has, and what remains of them in version 3. */
const downgradeOnly: Readonly<Record<string, readonly [object, object]>> = {
  'isActivated: UNKNOWN': [
    { features: [{ featureType: 'NPP_PAYID', isActivated: 'UNKNOWN' }] },
    { features: [{ featureType: 'NPP_PAYID' }] },
  ],
  'several conditions of a tier': [
    {
      depositRates: [
        {
          ...rate,
          tiers: [
            {
              applicabilityConditions: [
                { rateApplicabilityType: 'MIN_DEPOSITS', additionalValue: '5' },
                { rateApplicabilityType: 'NEW_CUSTOMER', additionalInfo: 'For new faces' },
              ],
            },
          ],
        },
      ],
    },
    {
      depositRates: [
        {
          ...rate,
          tiers: [
            {
              applicabilityConditions: {
                additionalInfo: 'MIN_DEPOSITS 5; NEW_CUSTOMER: For new faces',
              },
            },
          ],
        },
      ],
    },
  ],
  'conditions on the rate itself': [
    {
      depositRates: [
        {
          ...rate,
          applicabilityConditions: [
            { rateApplicabilityType: 'MIN_DEPOSITS', additionalValue: '5' },
          ],
        },
      ],
    },
    { depositRates: [{ ...rate, additionalInfo: 'MIN_DEPOSITS 5' }] },
  ],
  'a fee cap': [
    { fees: [{ ...fee, feeCap: '45.00', feeCapPeriod: 'P1Y' }] },
    { fees: [{ ...fee, additionalInfo: 'at most 45.00 in P1Y' }] },
  ],
  'a lending rate of type BALANCE_TRANSFER': [
    { lendingRates: [{ ...lending, lendingRateType: 'BALANCE_TRANSFER' }, lending] },
    { lendingRates: [lending] },
  ],
  'repaymentType UNCONSTRAINED and loanPurpose OTHER': [
    { lendingRates: [{ ...lending, repaymentType: 'UNCONSTRAINED', loanPurpose: 'OTHER' }] },
    { lendingRates: [lending] },
  ],
  'a loan’s repaymentType UNCONSTRAINED': [
    {
      specificAccountUType: 'loan',
      loan: { repaymentType: 'UNCONSTRAINED', loanEndDate: '2030-01-01' },
    },
    { specificAccountUType: 'loan', loan: { loanEndDate: '2030-01-01' } },
  ],
  'the feature FUNDS_AVAILABLE_AFTER': [
    { features: [{ featureType: 'FUNDS_AVAILABLE_AFTER', additionalValue: 'P1D' }] },
    {
      features: [{ featureType: 'OTHER', additionalInfo: 'FUNDS_AVAILABLE_AFTER P1D' }],
    },
  ],
  'fees of the types LATE_PAYMENT and CASH_ADVANCE': [
    {
      fees: [
        { ...fee, feeType: 'LATE_PAYMENT', additionalValue: '14' },
        { ...fee, feeType: 'CASH_ADVANCE', additionalInfo: 'At any machine' },
      ],
    },
    {
      fees: [
        { ...fee, additionalInfo: 'LATE_PAYMENT 14' },
        { ...fee, feeType: 'TRANSACTION', additionalInfo: 'CASH_ADVANCE: At any machine' },
      ],
    },
  ],
  'the applicationType of a rate': [
    { depositRates: [{ ...rate, applicationType: 'MATURITY' }] },
    { depositRates: [rate] },
  ],
}

const names = [...Object.keys(reversible), ...Object.keys(downgradeOnly)]
const provider = sharedProvider([
  lines.customer('ana'),
  lines.bankingAccount(exampleV3.accountId, { ana: true }, { ...exampleV3 }),
  lines.bankingAccount(exampleV4.accountId, { ana: true }, { ...exampleV4 }),
  ...Object.entries(reversible).map(([name, [fields]]) =>
    lines.bankingAccount(name, { ana: true }, { ...fields }),
  ),
  ...Object.entries(downgradeOnly).map(([name, [fields]]) =>
    lines.bankingAccount(name, { ana: true }, { ...fields }),
  ),
])

/** The same data, served in version 3. */
const providerV3 = sharedProvider([], async () => ({
  database: (await provider()).database,
  accountVersion: 3,
}))

async function readAccount(opened: ReturnType<typeof provider>, accountId: string) {
  const { get } = await opened
  const { body } = await get(path)
  return body.data.accounts.find(
    (account: { accountId: string }) => account.accountId === accountId,
  )
}

describe('version 4 of the banking account', () => {
  it('is served as it was loaded', async () => {
    const served = await readAccount(provider(), exampleV4.accountId)

    assert.deepEqual(served, exampleV4)
  })

  for (const [name, [four]] of Object.entries(downgradeOnly)) {
    it(`is served as it was loaded: ${name}`, async () => {
      const served = await readAccount(provider(), name)

      assert.deepEqual(served, { accountId: name, ...four, isOwned: true })
    })
  }

  for (const [name, [, four]] of Object.entries(reversible)) {
    it(`is converted from version 3 by a load: ${name}`, async () => {
      const served = await readAccount(provider(), name)

      assert.deepEqual(served, { accountId: name, ...four, isOwned: true })
    })
  }
})

describe('version 3 of the banking account, in a provider that serves it', () => {
  it('is served as it was loaded', async () => {
    const served = await readAccount(providerV3(), exampleV3.accountId)

    assert.deepEqual(served, { ...exampleV3, isOwned: true })
  })

  for (const [name, [three]] of Object.entries(reversible)) {
    it(`is served as it was loaded: ${name}`, async () => {
      const served = await readAccount(providerV3(), name)

      assert.deepEqual(served, { accountId: name, ...three, isOwned: true })
    })
  }

  for (const [name, [, three]] of Object.entries(downgradeOnly)) {
    it(`is converted from version 4: ${name}`, async () => {
      const served = await readAccount(providerV3(), name)

      assert.deepEqual(served, { accountId: name, ...three, isOwned: true })
    })
  }

  it('has the same accounts in the same order', async () => {
    const four = await (await provider()).get(path)
    const three = await (await providerV3()).get(path)

    const ids = (answer: typeof four) =>
      answer.body.data.accounts.map(({ accountId }: { accountId: string }) => accountId)
    assert.equal(ids(three).length, names.length + 2)
    assert.deepEqual(ids(three), ids(four))
    assert.deepEqual(three.body.meta, four.body.meta)
  })
})
