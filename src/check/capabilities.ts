import { type Operation, providerOperations } from '../contract/index.ts'

/** What a provider may leave out on purpose, and what is then not asked of it. */
export const namedCapabilities = {
  'no-banking': 'it is an energy retailer: B1 to B6 and C4 are left out',
  'no-energy': 'it is a bank: E1 to E5 are left out',
  'no-contact': 'the contact endpoint is left out',
  'no-text-filter': 'B3 does not filter by text, and says so in meta.isQueryParamUnsupported',
  'account-version-3': 'B1 still answers with version 3 of the banking account',
} as const

const references = Object.values<Operation>(providerOperations).map(({ ref }) => ref)

/** One of those, or `no-` and the reference of an operation, such as `no-B1`. */
export type Capability = keyof typeof namedCapabilities | `no-${string}`

export function isCapability(text: string): text is Capability {
  return Object.hasOwn(namedCapabilities, text) || references.some((ref) => text === `no-${ref}`)
}

export function isLeftOut({ ref, tag }: Operation, capabilities: readonly Capability[]): boolean {
  // The example of the interface is a balance of a bank account.
  const isBanking = tag === 'banking' || ref === 'C4'
  return (
    capabilities.includes(`no-${ref}`) ||
    capabilities.includes(`no-${tag}`) ||
    (isBanking && capabilities.includes('no-banking'))
  )
}
