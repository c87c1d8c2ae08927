/** The scopes of an API client's token, and the permission that each gives. */
export const scopeDescriptions = {
  'products.read': 'Read products with their history and their drafts.',
  'products.write': 'Create, change, publish and delete products, and read them.',
  'data.read': 'Read the data of customers through the platform.',
  'data.write': 'Send batches of data.',
  'consent.read': 'Read the consents of customers.',
  'consent.write': 'Withdraw the consents of customers, and read them.',
  'operations.read': 'Read the status, the metrics, the rejected requests and the check reports.',
  'operations.write': 'Check the provider, and read what operations.read permits.',
} as const
export type Scope = keyof typeof scopeDescriptions
export const scopes = Object.keys(scopeDescriptions) as readonly Scope[]

/** Not `data.write`: a system that sends data need not be able to read it. */
const included = new Map<Scope, Scope>([
  ['products.write', 'products.read'],
  ['consent.write', 'consent.read'],
  ['operations.write', 'operations.read'],
])

/** Write access includes read access, except for the data of customers. */
export function permits(granted: readonly Scope[], needed: Scope): boolean {
  return granted.some((scope) => scope === needed || included.get(scope) === needed)
}
