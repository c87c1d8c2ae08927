import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as banking from '../../src/contract/examples/banking.ts'
import * as energy from '../../src/contract/examples/energy.ts'
import { describe } from '../support/engines.ts'
import * as lines from '../support/lines.ts'
import { ask, getRecords, isEnergy, type Ref } from '../support/operations.ts'
import { sharedProvider } from '../support/provider.ts'
import { variant } from '../support/variant.ts'

/** Records with unusual formatting. */
const unusual = {
  customer: `{ "name":"Ana\\u0020\\u00c9\\/\\ud83d\\ude00" ,"id":"ana",\t"email":"ana@example.com"}`,
  balance: `{"availableBalance":"007.50" , "currentBalance":"-0.00","accountId":"b1"}`,
  transaction: `{"amount":"1.50","status":"PENDING","transactionId":"t\\u0031","description":"a\\tb \\"c\\" \\\\ \\u2028",  "accountId":"b1","executionDateTime":"2025-06-01t10:00:00.10z"}`,
  payment: `{"from":{"accountId":"b1"},"paymentSet":{"to":{"toUType":"domestic","domestic":{"payeeAccountUType":"account","account":{"bsb":6.2e4,"accountNumber":1.0}}},"amount":"00.10"},"scheduledPaymentId":"s1"}`,
  debit: `{"authorisedEntity":{"abn":51824753556.0,"acn":1E3},"lastDebitAmount":"-5","accountId":"b1"}`,
  invoice: `{"issueDate":"2025-06-01","invoiceNumber":"i\\u00231","accountId":"e1" ,"servicePoints":[ ]}`,
  billing: `{"usage":{"usage":28.000,"amount":"8.120","calculationFactors":[{"type":"DLF","value":1.0457e0}]},"transactionUType":"usage","executionDateTime":"2025-06-01T10:00:00","accountId":"e1"}`,
  contact: `{"telephones":[{"number":"1","country":"61","type":"HOME"}],"emails":["a@b.c"],"holders":[{"name":{"last":"S","first":"A"},"relationship":"SECONDARY"}],"addresses":[{"country":"AU","line1":"1","city":"B","region":"VIC","postalCode":"0800"}] }`,
}
const account = {
  before: `{"bsb":62000.0,"depositRate":1.50,"isOwned" : `,
  after: ` ,"accountNumber":1e2, "accountId":"b1","creationDate":"2020-01-01T00:00:00Z","lendingRates":{"rate":0.10000000000000000001}}`,
}
const energyAccount = {
  users: `"users":[{"id":"u1"}]`,
  type: `"complexAccountType":"INDIVIDUAL"`,
  rest: `"plans":[{"servicePointIds":["6001",6001.0, 6e3]}],"accountId":"e1"`,
}

const block = { rateBlockUType: 'singleRate', singleRate: { rates: [{ unitPrice: '1' }] } }

const provider = sharedProvider([
  `{"type":"customer","record":${unusual.customer}}`,
  `{"record":${account.before}true${account.after},"holders":[{"customerId":"ana","isOwned":false}],"type":"banking.account"}`,
  `{"type":"banking.balance" , "record":${unusual.balance}}`,
  `  {"type":"banking.transaction","record": ${unusual.transaction} }  `,
  `{"type":"banking.scheduledPayment","record":${unusual.payment}}`,
  `{"type":"banking.directDebit","id":"d1","record":${unusual.debit}}`,
  `{"type":"energy.account","holders":[{"customerId":"ana"}],"record":{${energyAccount.users},${energyAccount.rest},${energyAccount.type}}}`,
  `{"type":"energy.invoice","record":${unusual.invoice}}`,
  `{"type":"energy.billing","id":"x","record":${unusual.billing}}`,
  `{"type":"account.contact","accountId":"b1","record":${unusual.contact}}`,

  lines.customer('bob'),
  lines.bankingAccount(banking.bankingBalance.accountId, { bob: true }),
  { type: 'banking.balance', record: banking.bankingBalance },
  { type: 'banking.transaction', record: banking.bankingTransaction },
  { type: 'banking.scheduledPayment', record: banking.scheduledPayment },
  { type: 'banking.directDebit', record: banking.directDebit },
  { type: 'energy.account', holders: [{ customerId: 'bob' }], record: energy.energyAccount },
  { type: 'energy.invoice', record: energy.energyInvoice },
  { type: 'energy.billing', record: energy.energyUsage },
  { type: 'energy.billing', record: energy.energyPayment },

  lines.customer('cy'),
  lines.bankingAccount(
    'other',
    { cy: true },
    {
      depositRates: [
        {
          applicabilityConditions: [{ rateApplicablityType: 'ONLINE_ONLY' }],
          tiers: [{ minimumValue: 1000, maximumValue: 0.0000001 }],
        },
      ],
    },
  ),
  lines.scheduledPayment('other', 's2', {
    paymentSet: { to: { toUType: 'payeeId', accountId: 'a9', payeeId: 'p1' } },
    recurrence: { recurrenceUType: 'eventBased', eventBased: { description: 'On demand' } },
  }),
  lines.energyAccount('other-energy', ['cy'], {
    plans: [
      {
        planDetail: {
          electricityContract: {
            tariffPeriod: [{ ...block, dailySupplyCharge: '1.02' }],
            controlledLoad: [
              { ...block, singleRate: { ...block.singleRate, dailySupplyCharges: '0.05' } },
            ],
          },
        },
      },
    ],
  }),
])

/** A source returns objects, which are formatted again. */
function asServed(text: string): string {
  return variant === 'source' ? JSON.stringify(JSON.parse(text)) : text
}

describe('a record', () => {
  for (const [ref, accountId, text] of [
    ['B2', 'b1', unusual.balance],
    ['B3', 'b1', unusual.transaction],
    ['B4', 'b1', unusual.payment],
    ['B5', 'b1', unusual.debit],
    ['B6', 'b1', unusual.payment],
    ['E3', 'e1', unusual.invoice],
    ['E4', 'e1', unusual.billing],
    ['E5', 'e1', unusual.billing],
  ] as const) {
    it(`is served by ${ref} byte for byte`, async () => {
      const here = await provider()

      const answer = await ask(here, ref, { accounts: [accountId] })

      assert.ok(answer.text.includes(`[${asServed(text)}]`), answer.text)
    })
  }

  for (const [ref, text] of [
    ['contact', unusual.contact],
    ['C3', unusual.customer],
  ] as const) {
    it(`is served by ${ref} byte for byte`, async () => {
      const here = await provider()

      const answer = await ask(here, ref, { accounts: ['b1'] })

      assert.equal(answer.text, asServed(text))
    })
  }

  it('is served by B1 byte for byte, except for isOwned', async () => {
    const here = await provider()

    const answer = await ask(here, 'B1', {})

    const text = asServed(`${account.before}false${account.after}`)
    assert.ok(answer.text.includes(`[${text}]`), answer.text)
  })

  it('is served by E1 byte for byte', async () => {
    const { users, rest, type } = energyAccount
    const here = await provider()

    const answer = await ask(here, 'E1', {})

    const text = asServed(`{${users},${rest},${type}}`)
    assert.ok(answer.text.includes(`[${text}]`), answer.text)
  })

  it('is served by E2 without two of its fields, otherwise byte for byte', async () => {
    const here = await provider()

    const answer = await ask(here, 'E2', { accounts: ['e1'] })

    assert.ok(answer.text.includes(`[${asServed(`{${energyAccount.rest}}`)}]`), answer.text)
  })

  const { users: _users, complexAccountType: _type, ...detail } = energy.energyAccount
  for (const [ref, expected] of Object.entries({
    B2: [banking.bankingBalance],
    B3: [banking.bankingTransaction],
    B4: [banking.scheduledPayment],
    B5: [banking.directDebit],
    B6: [banking.scheduledPayment],
    E1: [energy.energyAccount],
    E2: [detail],
    E3: [energy.energyInvoice],
    E4: [energy.energyPayment, energy.energyUsage],
    E5: [energy.energyPayment, energy.energyUsage],
  })) {
    it(`has all fields of the interface on ${ref}`, async () => {
      const here = await provider()
      const accountId = isEnergy(ref as Ref)
        ? energy.energyAccount.accountId
        : banking.bankingBalance.accountId

      const answer = await ask(here, ref as Ref, { customer: 'bob', accounts: [accountId] })

      assert.deepEqual(getRecords(ref as Ref, answer), expected)
    })
  }
})

describe('an alternative field name that a load accepts', () => {
  it('is served by B1 as rateApplicabilityType, and tier bounds as decimal strings', async () => {
    const here = await provider()

    const answer = await ask(here, 'B1', { customer: 'cy' })

    assert.deepEqual(getRecords('B1', answer)[0].depositRates, [
      {
        applicabilityConditions: [{ rateApplicabilityType: 'ONLINE_ONLY' }],
        tiers: [{ minimumValue: '1000', maximumValue: '0.0000001' }],
      },
    ])
  })

  for (const ref of ['B4', 'B6'] as const) {
    it(`is served by ${ref} as payeeID and reccurenceUType`, async () => {
      const here = await provider()

      const answer = await ask(here, ref, { customer: 'cy', accounts: ['other'] })

      assert.deepEqual(getRecords(ref, answer), [
        {
          scheduledPaymentId: 's2',
          from: { accountId: 'other' },
          paymentSet: { to: { toUType: 'payeeId', accountId: 'a9', payeeID: 'p1' } },
          recurrence: { reccurenceUType: 'eventBased', eventBased: { description: 'On demand' } },
        },
      ])
    })
  }

  for (const ref of ['E1', 'E2'] as const) {
    it(`is served by ${ref} as dailySupplyCharges of a period and dailySupplyCharge of a controlled load`, async () => {
      const here = await provider()

      const answer = await ask(here, ref, { customer: 'cy', accounts: ['other-energy'] })

      const { electricityContract } = getRecords(ref, answer)[0].plans[0].planDetail
      assert.deepEqual(electricityContract.tariffPeriod, [{ ...block, dailySupplyCharges: '1.02' }])
      assert.equal(electricityContract.controlledLoad[0].singleRate.dailySupplyCharge, '0.05')
      assert.doesNotMatch(answer.text, /"dailySupplyCharges":"0.05"/)
    })
  }
})
