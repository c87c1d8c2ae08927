import type { PerformanceTier } from '../../contract/cds/performance-tiers.ts'

/** An operation of the Consumer Data Standards whose calls are counted. */
export interface CountedOperation {
  readonly name: string
  readonly isAuthenticated: boolean
  readonly tier: PerformanceTier
  /** Of calls while the customer is not present. Absent: calls are not for a customer. */
  readonly unattendedTier?: PerformanceTier
}

const infosec = { isAuthenticated: true, tier: 'highPriority' } as const
const openInfosec = { isAuthenticated: false, tier: 'highPriority' } as const

/** The endpoints of OAuth and OpenID Connect. Those that need neither a client nor a token are unauthenticated. */
export const infosecOperations = {
  authorization: { name: 'authorization', ...openInfosec },
  introspection: { name: 'introspection', ...infosec },
  jwks: { name: 'jwks', ...openInfosec },
  metadata: { name: 'metadata', ...openInfosec },
  pushedRequest: { name: 'pushedRequest', ...infosec },
  revocation: { name: 'revocation', ...infosec },
  token: { name: 'token', ...infosec },
  userInfo: { name: 'userInfo', ...infosec },
  arrangementRevocation: { name: 'arrangementRevocation', ...infosec },
} as const satisfies Record<string, CountedOperation>

export const publicOperations = {
  products: { name: 'products', isAuthenticated: false, tier: 'unauthenticated' },
  product: { name: 'product', isAuthenticated: false, tier: 'unauthenticated' },
  status: { name: 'status', ...openInfosec },
  outages: { name: 'outages', ...openInfosec },
} as const satisfies Record<string, CountedOperation>

/** What the register calls. */
export const adminOperations = {
  metrics: { name: 'metrics', isAuthenticated: true, tier: 'unattended' },
  metadataUpdate: { name: 'metadataUpdate', isAuthenticated: true, tier: 'unattended' },
} as const satisfies Record<string, CountedOperation>
