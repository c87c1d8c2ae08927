import type { ComponentType } from 'preact'
import type { Feature } from '../contract/index.ts'
import type { Scope } from '../contract/scopes.ts'
import { View as CatalogueCompareView } from './pages/catalogue/compare.tsx'
import { View as CatalogueHistoryView } from './pages/catalogue/history.tsx'
import { View as CatalogueListView } from './pages/catalogue/list.tsx'
import { View as CatalogueProductView } from './pages/catalogue/product.tsx'
import { View as ChecksCheckRunView } from './pages/checks/check-run.tsx'
import { View as ChecksView } from './pages/checks/checks.tsx'
import { View as ChecksCompareView } from './pages/checks/compare.tsx'
import { View as ConsentsConsentView } from './pages/consents/consent.tsx'
import { View as ConsentsFlowsView } from './pages/consents/flows.tsx'
import { View as ConsentsView } from './pages/consents/list.tsx'
import { View as ExplorerCustomerView } from './pages/explorer/customer.tsx'
import { View as ExplorerSearchView } from './pages/explorer/search.tsx'
import { View as RejectionView } from './pages/monitoring/rejection.tsx'
import { View as OverviewView } from './pages/overview/overview.tsx'
import type { ViewProps } from './view-props.ts'

export interface PageDefinition {
  /** The path below /console. `{name}` stands for one part. */
  readonly path: string
  readonly title: string
  /** Needed to see the page. */
  readonly scope?: Scope
  /** The part of the platform that the page shows. */
  readonly feature?: Feature
  /** A page is in the first file, unless it is large: then it is loaded when it is first shown. */
  readonly View?: ComponentType<ViewProps>
  readonly load?: () => Promise<{ readonly View: ComponentType<ViewProps> }>
}

/** Pages in the navigation, in its order. */
export const sections: readonly PageDefinition[] = [
  {
    path: '',
    title: 'Overview',
    scope: 'operations.read',
    View: OverviewView,
  },
  {
    path: '/catalogue',
    title: 'Catalogue',
    scope: 'products.read',
    View: CatalogueListView,
  },
  {
    path: '/explorer',
    title: 'Explorer',
    scope: 'data.read',
    feature: 'explorer',
    View: ExplorerSearchView,
  },
  {
    path: '/consents',
    title: 'Consents',
    scope: 'consent.read',
    feature: 'consent',
    View: ConsentsView,
  },
  {
    path: '/checks',
    title: 'Checks',
    scope: 'operations.read',
    View: ChecksView,
  },
  {
    path: '/monitoring',
    title: 'Monitoring',
    scope: 'operations.read',
    load: () => import('./pages/monitoring/monitoring.tsx'),
  },
  {
    path: '/api',
    title: 'API',
    load: () => import('./pages/api-reference/search.tsx'),
  },
]

/** Pages that other pages link to. */
const details: readonly PageDefinition[] = [
  {
    path: '/catalogue/new',
    title: 'New product',
    scope: 'products.write',
    load: () => import('./pages/catalogue/edit/new-product.tsx'),
  },
  {
    path: '/catalogue/{id}/edit',
    title: 'Edit product',
    scope: 'products.write',
    load: () => import('./pages/catalogue/edit/edit-product.tsx'),
  },
  {
    path: '/catalogue/compare',
    title: 'Compare products',
    scope: 'products.read',
    View: CatalogueCompareView,
  },
  {
    path: '/catalogue/import',
    title: 'Import products',
    scope: 'products.write',
    load: () => import('./pages/catalogue/import.tsx'),
  },
  {
    path: '/catalogue/{id}',
    title: 'Product',
    scope: 'products.read',
    View: CatalogueProductView,
  },
  {
    path: '/catalogue/{id}/history',
    title: 'History of a product',
    scope: 'products.read',
    View: CatalogueHistoryView,
  },
  {
    path: '/checks/compare',
    title: 'Compare checks',
    scope: 'operations.read',
    View: ChecksCompareView,
  },
  {
    path: '/checks/{checkId}',
    title: 'Check',
    scope: 'operations.read',
    View: ChecksCheckRunView,
  },
  {
    path: '/monitoring/rejections/{interactionId}',
    title: 'Rejected request',
    scope: 'operations.read',
    View: RejectionView,
  },
  {
    path: '/explorer/{customerId}',
    title: 'Customer',
    scope: 'data.read',
    View: ExplorerCustomerView,
  },
  {
    path: '/explorer/{customerId}/{accountId}',
    title: 'Account',
    scope: 'data.read',
    load: () => import('./pages/explorer/account.tsx'),
  },
  {
    path: '/consents/flows',
    title: 'Consent flows',
    scope: 'consent.read',
    View: ConsentsFlowsView,
  },
  {
    path: '/consents/{id}',
    title: 'Consent',
    scope: 'consent.read',
    View: ConsentsConsentView,
  },
  {
    path: '/api/{document}/{operationId}',
    title: 'Operation',
    load: () => import('./pages/api-reference/operation.tsx'),
  },
]

export const pages: readonly PageDefinition[] = [...sections, ...details]

/** The page of a path and the parameters in it. The first that matches, so that fixed parts go before `{name}`. */
export function findPage(
  path: string,
): { readonly page: PageDefinition; readonly params: Record<string, string> } | undefined {
  const parts = path.split('/')
  for (const page of pages) {
    const params = matchParts(page.path.split('/'), parts)
    if (params) return { page, params }
  }
  return undefined
}

function matchParts(
  pattern: readonly string[],
  parts: readonly string[],
): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, expected] of pattern.entries()) {
    const part = parts[index] ?? ''
    const name = /^\{(\w+)\}$/.exec(expected)?.[1]
    if (name === undefined && part !== expected) return undefined
    if (name !== undefined) params[name] = decodePart(part)
  }
  return params
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
