/** What logs and metrics call requests of the consent role. Separate, so that naming them does not load the role. */
export const consentEndpoints = [
  'openid',
  'consent-page',
  'consent-asset',
  'consents-page',
  'arrangement-revocation',
  'cds-accounts',
  'cds-balance',
  'cds-balances',
  'cds-transactions',
  'cds-customer',
  'cds-other',
] as const
export type ConsentEndpoint = (typeof consentEndpoints)[number]

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A route that is not an operation of the contract, but has the same limits. */
    endpoint?: ConsentEndpoint
  }
}
