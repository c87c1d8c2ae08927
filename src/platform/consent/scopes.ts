import { type CdsEndpoint, cdsEndpoints } from '../../contract/cds/shared/endpoints.ts'
import type { Customer } from '../../contract/index.ts'

/** What a customer reads about data, in the words that the Consumer Data Standards prescribe. */
interface ClusterWords {
  readonly name: string
  readonly permissions: readonly string[]
}

/** A data cluster of the Consumer Data Standards, by its scope. */
interface ScopeWords extends ClusterWords {
  readonly scope: string
  /** Whether it has records of earlier times. */
  readonly hasHistory?: boolean
  /** The words for a customer that is an organisation. */
  readonly organisation?: ClusterWords
  /** A narrower scope that the text covers too: if both are requested, only this text is shown. */
  readonly covers?: string
}

export interface Cluster extends ScopeWords {
  /** The kind of account that the data belongs to; none for data about the customer. */
  readonly accounts?: CdsEndpoint['accounts']
}

const organisationProfile = [
  'Agent name and role',
  'Organisation name',
  'Organisation numbers (ABN or ACN)',
  'Charity status',
  'Establishment date',
  'Industry',
  'Organisation type',
  'Country of registration',
]

/** Scopes of claims about a customer whose data has the same name. */
const contactDetails = 'Contact details'

const clusterWords: readonly ScopeWords[] = [
  {
    scope: 'common:customer.basic:read',
    name: 'Name and occupation',
    permissions: ['Name', 'Occupation'],
    organisation: { name: 'Organisation profile', permissions: organisationProfile },
  },
  {
    scope: 'common:customer.detail:read',
    name: 'Name, occupation, contact details',
    permissions: [
      'Name',
      'Occupation',
      'Phone',
      'Email address',
      'Mail address',
      'Residential address',
    ],
    organisation: {
      name: 'Organisation profile and contact details',
      permissions: [...organisationProfile, 'Organisation address', 'Mail address', 'Phone number'],
    },
    covers: 'common:customer.basic:read',
  },
  {
    scope: 'bank:accounts.basic:read',
    name: 'Account name, type and balance',
    permissions: ['Name of account', 'Type of account', 'Account balance'],
  },
  {
    scope: 'bank:accounts.detail:read',
    name: 'Account balance and details',
    permissions: [
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
    covers: 'bank:accounts.basic:read',
  },
  {
    scope: 'bank:transactions:read',
    hasHistory: true,
    name: 'Transaction details',
    permissions: [
      'Incoming and outgoing transactions',
      'Amounts',
      'Dates',
      'Descriptions of transactions',
      'Who you have sent money to and received money from (e.g. their name)',
    ],
  },
  {
    scope: 'bank:regular_payments:read',
    name: 'Direct debits and scheduled payments',
    permissions: ['Direct debits', 'Scheduled payments'],
  },
  {
    scope: 'energy:accounts.basic:read',
    name: 'Accounts and plans',
    permissions: ['Account and plan information'],
  },
  {
    scope: 'energy:accounts.detail:read',
    name: 'Account and plan details',
    permissions: [
      'Account and plan information',
      'Account type',
      'Fees, features, rates, and discounts',
      'Additional account users',
    ],
    covers: 'energy:accounts.basic:read',
  },
  {
    scope: 'energy:billing:read',
    hasHistory: true,
    name: 'Billing payments and history',
    permissions: [
      'Account balance',
      'Payment method',
      'Payment status',
      'Charges, discounts, credits',
      'Billing date',
      'Usage for billing period',
      'Payment date',
      'Invoice number',
    ],
  },
  { scope: 'profile', name: 'Name', permissions: ['Full name and title(s)'] },
  { scope: 'phone', name: contactDetails, permissions: ['Phone number'] },
  { scope: 'email', name: contactDetails, permissions: ['Email address'] },
  { scope: 'address', name: contactDetails, permissions: ['Mail address'] },
]

/** The claims of UserInfo by scope, and their values from C3. */
export const identityClaims: Readonly<
  Record<string, Readonly<Record<string, (customer: Customer) => unknown>>>
> = {
  profile: {
    name: ({ name }) => name,
    given_name: ({ givenName }) => givenName,
    family_name: ({ familyName }) => familyName,
    updated_at: ({ updatedAt }) =>
      updatedAt === undefined ? undefined : Math.floor(Date.parse(updatedAt) / 1000),
  },
  email: {
    email: ({ email }) => email,
    email_verified: ({ emailVerified }) => emailVerified,
  },
  phone: {
    phone_number: ({ phoneNumber }) => phoneNumber,
    phone_number_verified: ({ phoneNumberVerified }) => phoneNumberVerified,
  },
  address: {
    address: ({ address }) =>
      address && {
        street_address: address.streetAddress,
        locality: address.locality,
        region: address.region,
        postal_code: address.postalCode,
        country: address.country,
      },
  },
}

/** The scopes with data: those of an endpoint or of claims. */
export const clusters: readonly Cluster[] = clusterWords.flatMap((words) => {
  const endpoint = Object.values<CdsEndpoint>(cdsEndpoints).find(
    ({ scope }) => scope === words.scope,
  )
  if (endpoint?.accounts) return [{ ...words, accounts: endpoint.accounts }]
  return endpoint || Object.hasOwn(identityClaims, words.scope) ? [words] : []
})

/** Requests an ID token. It is about no data of its own. */
export const openidScope = 'openid'

/** Every scope that a third party can have. */
export const consentScopes: readonly string[] = [openidScope, ...clusters.map(({ scope }) => scope)]

/** What a customer reads about scopes. Clusters of the same name are shown as one. */
export function describeScopes(scopes: readonly string[], isOrganisation = false): Cluster[] {
  const requested = clusters.filter(({ scope }) => scopes.includes(scope))
  const covered = new Set(requested.map(({ covers }) => covers))
  const shown = requested
    .filter(({ scope }) => !covered.has(scope))
    .map((cluster) => (isOrganisation ? { ...cluster, ...cluster.organisation } : cluster))
  return [...Map.groupBy(shown, ({ name }) => name).values()].flatMap(([first, ...others]) => {
    const permissions = [first, ...others].flatMap((each) => each?.permissions ?? [])
    return first ? [{ ...first, permissions }] : []
  })
}

/** Returns a function that says whether a permission is about data that the other clusters do not have. */
export function openAddedData(others: readonly Cluster[]) {
  const toKey = ({ accounts }: Cluster, permission: string) => `${accounts ?? ''} ${permission}`
  const known = new Set(
    others.flatMap((cluster) => cluster.permissions.map((each) => toKey(cluster, each))),
  )
  return (cluster: Cluster, permission: string) => !known.has(toKey(cluster, permission))
}

/** The data of the first clusters that the others do not have: a cluster of which they have a part is named with the rest. */
export function describeAdded(first: readonly Cluster[], others: readonly Cluster[]): string[] {
  const isAdded = openAddedData(others)
  return first.flatMap((cluster) => {
    const { name, permissions } = cluster
    const added = permissions.filter((each) => isAdded(cluster, each))
    if (added.length === 0) return []
    return added.length === permissions.length ? name : `${name} (${added.join(', ')})`
  })
}

/** Whether scopes are about records of earlier times. */
export function haveHistory(scopes: readonly string[]): boolean {
  return clusters.some(({ scope, hasHistory }) => hasHistory && scopes.includes(scope))
}

/** The kinds of accounts that scopes are about. */
export function listAccountKinds(scopes: readonly string[]): Set<'banking' | 'energy'> {
  const requested = clusters.filter(({ scope }) => scopes.includes(scope))
  return new Set(requested.flatMap(({ accounts }) => accounts ?? []))
}

/** The claims of the scopes, without those that the customer does not have. Reads the customer only if there are any. */
export async function readClaims(
  scope: string,
  readCustomer: () => Promise<Customer>,
): Promise<Record<string, unknown>> {
  const requested = scope.split(' ').flatMap((each) => {
    const claims = Object.hasOwn(identityClaims, each) ? identityClaims[each] : undefined
    return Object.entries(claims ?? {})
  })
  if (requested.length === 0) return {}
  const customer = await readCustomer()
  const values = requested.map(([claim, read]) => [claim, read(customer)] as const)
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}
