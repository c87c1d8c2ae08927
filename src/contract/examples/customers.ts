import type { AccountContact } from '../records/contact.ts'
import type { Customer } from '../records/customer.ts'
import type { Restriction } from '../records/restriction.ts'

export const customer: Customer = {
  id: 'cust-1',
  name: 'Ana Silva',
  email: 'ana.silva@example.com',
  emailVerified: true,
  familyName: 'Silva',
  givenName: 'Ana',
  phoneNumber: '+61 491 570 006',
  phoneNumberVerified: true,
  updatedAt: '2025-01-20T04:00:00Z',
  address: {
    streetAddress: '12 Wattle Street',
    locality: 'Ballarat',
    region: 'VIC',
    postalCode: '3350',
    country: 'AU',
  },
}

export const restrictions: readonly Restriction[] = [
  { accountId: 'acc-4711', reason: 'blocked' },
  { customerId: 'cust-1', reason: 'harm', until: '2026-03-01T00:00:00+10:00' },
]

export const accountContact: AccountContact = {
  holders: [
    { relationship: 'PRIMARY_JOINT', name: { first: 'Ana', middle: 'Maria', last: 'Silva' } },
    { relationship: 'SECONDARY', name: { first: 'Jo', last: 'Silva', suffix: 'Jr' } },
  ],
  emails: ['ana.silva@example.com'],
  addresses: [
    {
      line1: '12 Wattle Street',
      line2: 'Unit 3',
      city: 'Ballarat',
      region: 'VIC',
      postalCode: '3350',
      country: 'AU',
    },
  ],
  telephones: [
    { type: 'HOME', country: '61', number: '353270000' },
    { type: 'CELL', country: '61', number: '491570006' },
  ],
}
