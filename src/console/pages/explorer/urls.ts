import type { Crumbs } from '../../components/page-heading.tsx'
import { features, hasScope } from '../../session.ts'

/** The views of the explorer, by the ids in their paths. */
export const explorerCrumbs: Crumbs = [['Explorer', '/console/explorer']]

/** Whether this platform has an explorer and the session may use it. */
export function hasExplorer(): boolean {
  return features.value.includes('explorer') && hasScope('data.read')
}

export function customerUrl(customerId: string): string {
  return `/console/explorer/${encodeURIComponent(customerId)}`
}

export function accountUrl(customerId: string, accountId: string): string {
  return `${customerUrl(customerId)}/${encodeURIComponent(accountId)}`
}
