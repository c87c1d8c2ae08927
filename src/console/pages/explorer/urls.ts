import type { Crumbs } from '../../components/page-heading.tsx'

/** The views of the explorer, by the ids in their paths. */
export const explorerCrumbs: Crumbs = [['Explorer', '/console/explorer']]

export function customerUrl(customerId: string): string {
  return `/console/explorer/${encodeURIComponent(customerId)}`
}

export function accountUrl(customerId: string, accountId: string): string {
  return `${customerUrl(customerId)}/${encodeURIComponent(accountId)}`
}
