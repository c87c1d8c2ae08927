import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { bankingAccount, bankingAccountV3 } from '../../src/contract/examples/banking.ts'
import { BankingAccount, BankingAccountV3, problemsMax } from '../../src/contract/index.ts'
import { readLine } from '../../src/intake/line.ts'
import { anyOf } from '../support/arbitrary.ts'
import { describeOn } from '../support/engines.ts'
import { openBank } from './bank.ts'
import { line } from './lines.ts'

const holders = [{ customerId: 'c1' }]

/** The errors of a line, as `path reason`. */
function readErrors(text: string): string[] {
  const result = readLine(text)
  return 'item' in result ? [] : result.problems.map(({ path, reason }) => `${path} ${reason}`)
}

/** The paths of the errors of an account. */
function readErrorPaths(account: object): string[] {
  return readErrors(line('banking.account', account, { holders })).map((error) => {
    return error.split(' ', 1)[0] ?? ''
  })
}

describe('the errors of a line', () => {
  it('include those of the envelope and of the record', () => {
    const record = {
      openStatus: 'AJAR',
      creationDate: 'today',
      isOwned: 'yes',
      bsb: '1',
      users: {},
      age: 5,
    }

    assert.deepEqual(readErrors(line('banking.account', record, { notes: 1 })), [
      'holders is required',
      'notes is not a field of this record',
      'accountId is required',
      'creationDate must be an RFC 3339 date-time',
      'openStatus must be one of CLOSED, OPEN',
      'isOwned must be true or false',
      'users must be a list',
      'bsb must be a whole number from 0 to 2^53 - 1',
      'age is not a field of this record',
    ])
  })

  it('include those of the envelope if the record is missing', () => {
    assert.deepEqual(readErrors('{"type":"account.contact","status":"GONE","notes":1}'), [
      'record is required',
      'accountId is required',
      'status must be one of CLOSED, DELINQUENT, NEGATIVECURRENTBALANCE, OPEN, PAID, PENDINGCLOSE, PENDINGOPEN, RESTRICTED',
      'notes is not a field of this record',
    ])
    assert.deepEqual(readErrors('{"type":"customer","status":"RESTRICTED"}'), [
      'record is required',
      'status is not a field of this record',
    ])
  })

  it('include a repeated field and all others', () => {
    assert.deepEqual(readErrors('{"type":"customer","x":1,"record":{"id":"a","id":"b","age":1}}'), [
      'x is not a field of this record',
      'id appears twice in one object',
      'name is required',
      'age is not a field of this record',
    ])
  })

  it('include all of a deletion', () => {
    assert.deepEqual(readErrors('{"type":"energy.billing","delete":{"notes":1},"record":{}}'), [
      'delete.accountId is required',
      'delete.notes is not a field of this record',
      'record is not a field of this record',
      'delete.id is required, or the record itself as delete.record',
    ])
  })

  it('include what a deletion must name', () => {
    assert.deepEqual(readErrors('{"type":"restriction","delete":{"reason":"harm"}}'), [
      'delete.customerId is required when accountId is absent',
      'delete.reason is not a field of this record',
    ])
    assert.deepEqual(
      readErrors('{"type":"restriction","delete":{"accountId":"a1","customerId":"c1"}}'),
      ['delete.customerId must be absent when accountId is present'],
    )
  })

  it('are limited, and the last one says that there are more', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`x${index}`, 1]))
    const customer = { id: 'c1', name: 'Ana', email: 'ana@example.com' }

    for (const text of [
      line('customer', { ...customer, ...many }),
      line('customer', customer, many),
      line('customer', { ...customer, ...many }, many),
    ]) {
      const errors = readErrors(text)
      assert.equal(errors.length, problemsMax + 1)
      assert.equal(errors.at(-1), ` has more errors than these ${problemsMax}`)
    }
  })
})

describe('the errors of an account', () => {
  for (const [version, schema] of [
    [3, BankingAccountV3],
    [4, BankingAccount],
  ] as const) {
    it(`of version ${version} are exactly its invalid fields, for any valid account`, () => {
      fc.assert(
        fc.property(anyOf(schema), (account) => {
          assert.deepEqual(readErrorPaths({ ...account, openStatus: 'AJAR' }), ['openStatus'])
        }),
      )
    })
  }

  it('of mixed versions are exactly its invalid fields, for any valid account', () => {
    const mixed = fc.tuple(anyOf(BankingAccountV3), anyOf(BankingAccount)).map(([three, four]) => ({
      ...four,
      features: [...(three.features ?? []), ...(four.features ?? [])],
      fees: [...(three.fees ?? []), ...(four.fees ?? [])],
      depositRates: [...(three.depositRates ?? []), ...(four.depositRates ?? [])],
    }))
    fc.assert(
      fc.property(mixed, (account) => {
        assert.deepEqual(readErrorPaths({ ...account, openStatus: 'AJAR' }), ['openStatus'])
      }),
    )
  })

  const tier = { minimumValue: 1, applicabilityConditions: { additionalInfo: 'x' } }
  const feature = { featureType: 'CARD_ACCESS', isActivated: true }
  const later = { featureType: 'CARD_ACCESS', isActivated: 'ACTIVATED' }
  for (const [name, fields, paths] of [
    [
      'a tier',
      { depositRates: [{ tiers: [{ ...tier, minimumValue: 'x' }] }] },
      ['depositRates[0].tiers[0].minimumValue'],
    ],
    [
      'a feature',
      { features: [feature, { ...feature, isActivated: 'x' }] },
      ['features[1].isActivated'],
    ],
    ['a fee', { fees: [{ amount: 'x' }] }, ['fees[0].amount']],
    ['a discount', { fees: [{ discounts: [{ feeRate: 'x' }] }] }, ['fees[0].discounts[0].feeRate']],
    ['a fee with two prices', { fees: [{ amount: '1', balanceRate: 1 }] }, ['fees[0].balanceRate']],
    [
      'a fee, mixed with version 4',
      { features: [later], fees: [{ amount: 'x' }] },
      ['fees[0].amount'],
    ],
    [
      'a rate, mixed with version 4',
      { features: [later], fees: [{ accruedRate: 'x' }] },
      ['fees[0].accruedRate'],
    ],
    [
      'a discount, mixed with version 4',
      { features: [later], fees: [{ amount: '1', discounts: [{ amount: 'x' }] }] },
      ['fees[0].discounts[0].amount'],
    ],
    [
      'a condition, mixed with version 4',
      {
        features: [later],
        depositRates: [{ tiers: [{ applicabilityConditions: { additionalInfo: 'y', x: 1 } }] }],
      },
      ['depositRates[0].tiers[0].applicabilityConditions.x'],
    ],
  ] as const) {
    it(`of version 3 have the paths of version 3: ${name}`, () => {
      assert.deepEqual(readErrorPaths({ accountId: 'a1', ...fields }), paths)
    })
  }
})

describeOn('sqlite', 'holdfast load of accounts with one error each', () => {
  it('reports only that error', async (t) => {
    const bank = await openBank(t)
    const invalid = { accountId: 'a1', openStatus: 'AJAR' }

    const { status, stderr } = await bank.load([
      line('customer', { id: 'c1', name: 'Ana', email: 'ana@example.com' }),
      line('banking.account', { ...bankingAccountV3, ...invalid }, { holders }),
      line('banking.account', { ...bankingAccount, ...invalid }, { holders }),
    ])

    assert.equal(status, 1)
    assert.equal(
      stderr,
      [
        '2 × openStatus: must be one of CLOSED, OPEN (first at data.ndjson:2)',
        '2 errors in 3 lines. Nothing was changed.\n',
      ].join('\n'),
    )
  })
})
