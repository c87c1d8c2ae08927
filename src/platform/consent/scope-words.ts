/** What a customer reads about data, in the words that the Consumer Data Standards prescribe. */
interface ClusterWords {
  readonly name: string
  readonly permissions: readonly string[]
}

/** A data cluster of the Consumer Data Standards, by its scope. */
export interface ScopeWords extends ClusterWords {
  readonly scope: string
  /** Whether it has records of earlier times. */
  readonly hasHistory?: boolean
  /** The words for a customer that is an organisation. */
  readonly organisation?: ClusterWords
  /** A narrower scope that the text covers too: if both are requested, only this text is shown. */
  readonly covers?: string
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

export const clusterWords: readonly ScopeWords[] = [
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

/** What a customer reads about scopes, among the given words. Clusters of the same name are shown as one. */
export function describeWords<Words extends ScopeWords>(
  all: readonly Words[],
  scopes: readonly string[],
  isOrganisation = false,
): Words[] {
  const requested = all.filter(({ scope }) => scopes.includes(scope))
  const covered = new Set(requested.map(({ covers }) => covers))
  const shown = requested
    .filter(({ scope }) => !covered.has(scope))
    .map((words) => (isOrganisation ? { ...words, ...words.organisation } : words))
  return [...Map.groupBy(shown, ({ name }) => name).values()].flatMap(([first, ...others]) => {
    const permissions = [first, ...others].flatMap((each) => each?.permissions ?? [])
    return first ? [{ ...first, permissions }] : []
  })
}
