import { type CdsEndpoint, cdsEndpoints } from '../../contract/cds/shared/endpoints.ts'
import type { Customer } from '../../contract/index.ts'
import { clusterWords, describeWords, type ScopeWords } from './scope-words.ts'

export interface Cluster extends ScopeWords {
  /** The kind of account that the data belongs to; none for data about the customer. */
  readonly accounts?: CdsEndpoint['accounts']
}

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

/** What a customer reads about scopes that have data. */
export function describeScopes(scopes: readonly string[], isOrganisation = false): Cluster[] {
  return describeWords(clusters, scopes, isOrganisation)
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
