import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { consentScopes, describeScopes } from './scopes.ts'

describe('the words for data', () => {
  const name = (scopes: string, isOrganisation = false) =>
    describeScopes(scopes.split(' '), isOrganisation).map((cluster) => cluster.name)

  it('are those that the standards prescribe', () => {
    assert.deepEqual(name('energy:accounts.basic:read'), ['Accounts and plans'])
    assert.deepEqual(name('common:customer.detail:read'), ['Name, occupation, contact details'])
    const [detail] = describeScopes(['energy:accounts.basic:read', 'energy:accounts.detail:read'])
    assert.ok(detail?.permissions.includes('Account and plan information'))
  })

  it('differ for organisations', () => {
    assert.deepEqual(name('common:customer.basic:read', true), ['Organisation profile'])
    assert.deepEqual(name('common:customer.detail:read', true), [
      'Organisation profile and contact details',
    ])
  })

  it('have two clusters for claims: the name and the contact details', () => {
    const [profile, details, ...others] = describeScopes(['profile', 'email', 'phone', 'address'])

    assert.deepEqual([profile?.name, profile?.permissions], ['Name', ['Full name and title(s)']])
    assert.deepEqual(
      [details?.name, details?.permissions],
      ['Contact details', ['Email address', 'Phone number', 'Mail address']],
    )
    assert.deepEqual(others, [])
  })

  it('cover every scope except openid', () => {
    for (const scope of consentScopes.filter((each) => each !== 'openid')) {
      assert.equal(describeScopes([scope]).length, 1, scope)
    }
  })
})
