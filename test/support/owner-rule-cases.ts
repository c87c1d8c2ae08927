import { accountContact } from '../../src/contract/examples/customers.ts'
import { AccountContact, Restriction } from '../../src/contract/index.ts'
import type { RuleCase } from './input-rule-cases.ts'

/** Of records about an account or its customers. */
export const ownerRuleCases: readonly RuleCase[] = [
  [
    'a contact with empty lists',
    AccountContact,
    { ...accountContact, holders: [], emails: [], addresses: [], telephones: [] },
    [
      'holders must be a list of at least 1 element',
      'emails must be a list of at least 1 element',
      'addresses must be a list of at least 1 element',
      'telephones must be a list of at least 1 element',
    ],
  ],
  [
    'a restriction of nothing',
    Restriction,
    { reason: 'harm' },
    ['customerId is required when accountId is absent'],
  ],
  [
    'a restriction of an account and a customer',
    Restriction,
    { accountId: 'a1', customerId: 'c1', reason: 'harm' },
    ['customerId must be absent when accountId is present'],
  ],
  [
    'a restriction for another reason, until no time',
    Restriction,
    { accountId: 'a1', reason: 'attack', until: '2026-02-30' },
    ['reason must be one of harm, blocked, suspended', 'until must be an RFC 3339 date-time'],
  ],
]
