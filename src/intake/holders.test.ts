import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { line } from '../../test/load/lines.ts'
import { readLine } from './line.ts'

/** The errors of an account with these holders, as `path reason`. */
function readErrors(
  type: 'banking.account' | 'energy.account',
  customers: readonly string[],
  fields: object = {},
): string[] {
  const holders = customers.map((customerId) => ({ customerId }))
  const result = readLine(line(type, { accountId: 'a1', ...fields }, { holders }))
  return 'item' in result ? [] : result.problems.map(({ path, reason }) => `${path} ${reason}`)
}

const users = { 'banking.account': [{ id: 1 }], 'energy.account': [{ id: 'u' }] } as const

for (const type of ['banking.account', 'energy.account'] as const) {
  describe(`a line of ${type}`, () => {
    it('with two or more holders requires users, whatever its other fields say', () => {
      const single = { complexAccountType: 'INDIVIDUAL' }

      assert.deepEqual(readErrors(type, ['c1', 'c2'], single), [
        'users is required when the account has two or more holders',
      ])
      assert.deepEqual(readErrors(type, ['c1', 'c2', 'c3'], { ...single, users: [] }), [
        'users must not be empty when the account has two or more holders',
      ])
      assert.deepEqual(readErrors(type, ['c1', 'c2'], { ...single, users: users[type] }), [])
      assert.deepEqual(readErrors(type, ['c1'], single), [])
      assert.deepEqual(readErrors(type, []), [])
    })

    it('reports missing users once', () => {
      assert.deepEqual(readErrors(type, ['c1', 'c2'], { complexAccountType: 'CLUB' }), [
        'users is required when complexAccountType is present and not INDIVIDUAL or SOLE_TRADER',
      ])
      assert.deepEqual(readErrors(type, ['c1', 'c2'], { users: 'none' }), ['users must be a list'])
    })

    it('names each holder once', () => {
      assert.deepEqual(
        readErrors(type, ['c1', 'c2', 'c1', '__proto__', 'c1'], { users: users[type] }),
        ['holders[2].customerId must be named once', 'holders[4].customerId must be named once'],
      )
      assert.deepEqual(readErrors(type, ['c1', 'c1']), ['holders[1].customerId must be named once'])
    })

    it('with invalid holders reports those alone', () => {
      const invalid = `{"type":"${type}","holders":[{},{},null,5,{"customerId":5}],"record":{"accountId":"a"}}`
      const result = readLine(invalid)

      assert.ok('problems' in result)
      assert.deepEqual(
        result.problems.map(({ path }) => path),
        [
          'holders[0].customerId',
          'holders[1].customerId',
          'holders[2]',
          'holders[3]',
          'holders[4].customerId',
        ],
      )
    })
  })
}
