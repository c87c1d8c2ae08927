/** What logs and metrics call requests to routes that are no operations. Separate, so that naming them loads no role. */
export const endpoints = [
  'console',
  'sign-in',
  'openid',
  'consent-page',
  'consent-asset',
  'dashboard',
  'arrangement-revocation',
  'cds-accounts',
  'cds-account',
  'cds-balance',
  'cds-balances',
  'cds-transactions',
  'cds-direct-debits',
  'cds-scheduled-payments',
  'cds-energy-accounts',
  'cds-energy-account',
  'cds-invoices',
  'cds-billing',
  'cds-customer',
  'cds-customer-detail',
  'cds-products',
  'cds-product',
  'cds-status',
  'cds-outages',
  'cds-metrics',
  'cds-metadata-update',
  'cds-other',
] as const
export type Endpoint = (typeof endpoints)[number]

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A route that is not an operation of the contract, but has the same limits. */
    endpoint?: Endpoint
  }
}
