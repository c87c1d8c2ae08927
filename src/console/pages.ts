import type { ComponentType } from 'preact'
import type { Feature } from '../contract/index.ts'
import type { Scope } from '../contract/scopes.ts'
import type { IconName } from './components/icon.tsx'
import { View as CatalogueListView } from './pages/catalogue/list.tsx'
import { View as ChecksView } from './pages/checks/checks.tsx'
import { View as ConsentsView } from './pages/consents/list.tsx'
import { View as OverviewView } from './pages/overview/overview.tsx'
import { decodePart, type ViewProps } from './router.ts'

export interface PageDefinition {
  /** The path below /console. `{name}` stands for one part. */
  readonly path: string
  readonly title: string
  /** Needed to see the page. */
  readonly scope?: Scope
  /** The part of the platform that the page shows. */
  readonly feature?: Feature
  /** The pages of the navigation that people open first are in the first file. Others are loaded when they are first shown. */
  readonly View?: ComponentType<ViewProps>
  readonly load?: () => Promise<{ readonly View: ComponentType<ViewProps> }>
}

interface Section extends PageDefinition {
  readonly icon: IconName
  /** The number beside the title. */
  readonly count?: 'products' | 'activeConsents'
  /** Pages that other pages link to. Their paths are below that of the section, and they need its scope by default. */
  readonly details?: readonly PageDefinition[]
}

/** Pages in the navigation, in its order. */
export const sections: readonly Section[] = [
  { path: '', title: 'Overview', icon: 'home', scope: 'operations.read', View: OverviewView },
  {
    path: '/catalogue',
    title: 'Catalogue',
    icon: 'list',
    count: 'products',
    scope: 'products.read',
    View: CatalogueListView,
    details: [
      { path: '/new', title: 'New product', scope: 'products.write', load: loadEditor },
      { path: '/{id}/edit', title: 'Edit product', scope: 'products.write', load: loadEditor },
      {
        path: '/compare',
        title: 'Compare products',
        load: () => import('./pages/catalogue/compare.tsx'),
      },
      {
        path: '/import',
        title: 'Import products',
        scope: 'products.write',
        load: () => import('./pages/catalogue/import.tsx'),
      },
      {
        path: '/{id}',
        title: 'Product',
        load: () => import('./pages/catalogue/product.tsx'),
      },
      {
        path: '/{id}/history',
        title: 'History of a product',
        load: () => import('./pages/catalogue/history.tsx'),
      },
    ],
  },
  {
    path: '/explorer',
    title: 'Explorer',
    icon: 'search',
    scope: 'data.read',
    feature: 'explorer',
    load: () => import('./pages/explorer/search.tsx'),
    details: [
      {
        path: '/{customerId}',
        title: 'Customer',
        load: () => import('./pages/explorer/customer.tsx'),
      },
      {
        path: '/{customerId}/{accountId}',
        title: 'Account',
        load: () => import('./pages/explorer/account.tsx'),
      },
    ],
  },
  {
    path: '/consents',
    title: 'Consents',
    icon: 'shield',
    count: 'activeConsents',
    scope: 'consent.read',
    feature: 'consent',
    View: ConsentsView,
    details: [
      { path: '/flows', title: 'Consent flows', load: () => import('./pages/consents/flows.tsx') },
      {
        path: '/corrections',
        title: 'Corrections',
        load: () => import('./pages/consents/corrections.tsx'),
      },
      { path: '/{id}', title: 'Consent', load: () => import('./pages/consents/consent.tsx') },
    ],
  },
  {
    path: '/reports',
    title: 'Reports',
    icon: 'report',
    scope: 'consent.read',
    feature: 'consent',
    load: () => import('./pages/reports/reports.tsx'),
  },
  {
    path: '/checks',
    title: 'Checks',
    icon: 'check',
    scope: 'operations.read',
    View: ChecksView,
    details: [
      {
        path: '/compare',
        title: 'Compare checks',
        load: () => import('./pages/checks/compare.tsx'),
      },
      { path: '/{checkId}', title: 'Check', load: () => import('./pages/checks/check-run.tsx') },
    ],
  },
  {
    path: '/monitoring',
    title: 'Monitoring',
    icon: 'pulse',
    scope: 'operations.read',
    load: () => import('./pages/monitoring/monitoring.tsx'),
    details: [
      {
        path: '/rejections/{interactionId}',
        title: 'Rejected request',
        load: () => import('./pages/monitoring/rejection.tsx'),
      },
    ],
  },
  {
    path: '/sessions',
    title: 'Sessions',
    icon: 'people',
    load: () => import('./pages/sessions/sessions.tsx'),
  },
  {
    path: '/api',
    title: 'API',
    icon: 'code',
    load: () => import('./pages/api-reference/search.tsx'),
    details: [
      {
        path: '/{document}/{operationId}',
        title: 'Operation',
        load: () => import('./pages/api-reference/operation.tsx'),
      },
    ],
  },
]

const pages: readonly PageDefinition[] = sections.flatMap(({ details = [], ...section }) => [
  section,
  ...details.map((page) => ({
    ...(section.scope && { scope: section.scope }),
    ...page,
    path: section.path + page.path,
  })),
])

function loadEditor() {
  return import('./pages/catalogue/edit/edit-product.tsx')
}

/** The page of a path and the parameters in it. The first that matches, so that fixed parts go before `{name}`. */
export function findPage(
  path: string,
): { readonly page: PageDefinition; readonly params: Record<string, string> } | undefined {
  for (const page of pages) {
    const pattern = page.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]*)')
    const match = new RegExp(`^${pattern}$`).exec(path)
    const params = Object.entries(match?.groups ?? {}).map(([name, part]) => [
      name,
      decodePart(part),
    ])
    if (match) return { page, params: Object.fromEntries(params) }
  }
  return undefined
}
