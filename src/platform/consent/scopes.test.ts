import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cdsEndpoints } from '../../contract/cds/shared/endpoints.ts'
import {
  clusters,
  consentScopes,
  describeAdded,
  describeScopes,
  identityClaims,
  openidScope,
} from './scopes.ts'

/** The tables of the Consumer Data Standards, by scope: the cluster, followed by its permissions. */
const forPersons = {
  'common:customer.basic:read': ['Name and occupation', 'Name', 'Occupation'],
  'common:customer.detail:read': [
    'Name, occupation, contact details',
    'Name',
    'Occupation',
    'Phone',
    'Email address',
    'Mail address',
    'Residential address',
  ],
  'bank:accounts.basic:read': [
    'Account name, type and balance',
    'Name of account',
    'Type of account',
    'Account balance',
  ],
  'bank:accounts.detail:read': [
    'Account balance and details',
    'Name of account',
    'Type of account',
    'Account balance',
    'Account number',
    'Interest rates',
    'Fees',
    'Discounts',
    'Account terms',
    'Account mail address',
  ],
  'bank:transactions:read': [
    'Transaction details',
    'Incoming and outgoing transactions',
    'Amounts',
    'Dates',
    'Descriptions of transactions',
    'Who you have sent money to and received money from (e.g. their name)',
  ],
  'bank:regular_payments:read': [
    'Direct debits and scheduled payments',
    'Direct debits',
    'Scheduled payments',
  ],
  'energy:accounts.basic:read': ['Accounts and plans', 'Account and plan information'],
  'energy:accounts.detail:read': [
    'Account and plan details',
    'Account and plan information',
    'Account type',
    'Fees, features, rates, and discounts',
    'Additional account users',
  ],
  'energy:billing:read': [
    'Billing payments and history',
    'Account balance',
    'Payment method',
    'Payment status',
    'Charges, discounts, credits',
    'Billing date',
    'Usage for billing period',
    'Payment date',
    'Invoice number',
  ],
  profile: ['Name', 'Full name and title(s)'],
  'phone email address': ['Contact details', 'Phone number', 'Email address', 'Mail address'],
}

const profile = [
  'Agent name and role',
  'Organisation name',
  'Organisation numbers (ABN or ACN)',
  'Charity status',
  'Establishment date',
  'Industry',
  'Organisation type',
  'Country of registration',
]

const forOrganisations = {
  ...forPersons,
  'common:customer.basic:read': ['Organisation profile', ...profile],
  'common:customer.detail:read': [
    'Organisation profile and contact details',
    ...profile,
    'Organisation address',
    'Mail address',
    'Phone number',
  ],
}

describe('the words for data', () => {
  for (const [name, tables, isOrganisation] of [
    ['persons', forPersons, false],
    ['organisations', forOrganisations, true],
  ] as const) {
    it(`Data language, rule 8.11(1)(d): are those that the standards prescribe for ${name}`, () => {
      const scopes = Object.keys(tables)
      const shown = scopes.map((each) => describeScopes(each.split(' '), isOrganisation))

      assert.deepEqual(
        shown.map((found) => found.flatMap((each) => [each.name, ...each.permissions])),
        Object.values(tables),
      )
      assert.deepEqual(
        new Set(scopes.flatMap((each) => each.split(' '))),
        new Set(clusters.map(({ scope }) => scope)),
      )
    })
  }

  it('Detailed scope requests: show a detailed cluster instead of its basic one', () => {
    for (const { scope, covers } of clusters.filter((each) => each.covers !== undefined)) {
      const [shown, ...others] = describeScopes([scope, covers ?? ''])

      assert.equal(shown?.scope, scope)
      assert.deepEqual(others, [])
    }
  })

  it('name a cluster of which a part is new with that part', () => {
    const added = describeAdded(
      describeScopes(['email', 'phone', 'bank:transactions:read', 'bank:accounts.basic:read']),
      describeScopes(['email', 'bank:accounts.detail:read']),
    )

    assert.deepEqual(added, ['Transaction details', 'Contact details (Phone number)'])
  })
})

describe('the scopes of third parties', () => {
  const served: ReadonlySet<string> = new Set([
    openidScope,
    ...Object.keys(identityClaims),
    ...Object.values(cdsEndpoints).map(({ scope }) => scope),
  ])

  it('are those that have data, and no others', () => {
    assert.deepEqual(new Set(consentScopes), served)
  })

  it('do not include those whose data the interface does not have', () => {
    for (const scope of ['bank:payees:read', 'energy:electricity.usage:read']) {
      assert.ok(!consentScopes.includes(scope), scope)
      assert.deepEqual(describeScopes([scope]), [])
    }
  })
})
