import { CdsError } from './errors.ts'

/** The path under which the standards place all endpoints. */
export const cdsBasePath = '/cds-au/v1'

/** The paths that the standards define after the base path. Some of them are not served. */
export const standardPaths: readonly string[] = [
  '/admin/metrics',
  '/admin/register/metadata',
  '/banking/accounts',
  '/banking/accounts/balances',
  '/banking/accounts/direct-debits',
  '/banking/accounts/payments/plans',
  '/banking/accounts/{accountId}',
  '/banking/accounts/{accountId}/balance',
  '/banking/accounts/{accountId}/direct-debits',
  '/banking/accounts/{accountId}/payments/plans',
  '/banking/accounts/{accountId}/payments/scheduled',
  '/banking/accounts/{accountId}/transactions',
  '/banking/accounts/{accountId}/transactions/{transactionId}',
  '/banking/payees',
  '/banking/payees/{payeeId}',
  '/banking/payments/scheduled',
  '/banking/products',
  '/banking/products/{productId}',
  '/common/customer',
  '/common/customer/detail',
  '/discovery/outages',
  '/discovery/status',
  '/energy/accounts',
  '/energy/accounts/balances',
  '/energy/accounts/billing',
  '/energy/accounts/invoices',
  '/energy/accounts/{accountId}',
  '/energy/accounts/{accountId}/balance',
  '/energy/accounts/{accountId}/billing',
  '/energy/accounts/{accountId}/concessions',
  '/energy/accounts/{accountId}/invoices',
  '/energy/accounts/{accountId}/payment-schedule',
  '/energy/electricity/servicepoints',
  '/energy/electricity/servicepoints/der',
  '/energy/electricity/servicepoints/usage',
  '/energy/electricity/servicepoints/{servicePointId}',
  '/energy/electricity/servicepoints/{servicePointId}/der',
  '/energy/electricity/servicepoints/{servicePointId}/usage',
  '/energy/plans',
  '/energy/plans/{planId}',
]

/** Of the standard paths that are not served, those that a served path with a parameter matches. */
export function listShadowedPaths(served: readonly string[]): readonly string[] {
  return standardPaths.filter(
    (path) => !served.includes(path) && served.some((pattern) => matchesPath(pattern, path)),
  )
}

function matchesPath(pattern: string, path: string): boolean {
  return new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)
}

/**
 * The error for a request that no endpoint serves. `path` is without the base path, and `methods` are those with which an
 * endpoint serves it.
 */
export function rejectPath(path: string, methods: readonly string[]): CdsError {
  if (methods.length > 0) {
    return new CdsError('methodNotAllowed', 'the method is not allowed', {
      allow: methods.join(', '),
    })
  }
  return standardPaths.some((pattern) => matchesPath(pattern, path))
    ? new CdsError('notImplemented', 'the data provider does not offer this data')
    : new CdsError('notFound', 'the path is not one of the Consumer Data Standards')
}
