/** The views of the explorer, by the ids in their paths. */

export function customerUrl(customerId: string): string {
  return `/console/explorer/${encodeURIComponent(customerId)}`
}

export function accountUrl(customerId: string, accountId: string): string {
  return `${customerUrl(customerId)}/${encodeURIComponent(accountId)}`
}
