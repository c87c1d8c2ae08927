import { toPublicKeySet } from '../auth/signing.ts'
import type { SigningKeyStore } from '../auth/signing-key-store.ts'
import {
  accessOperations,
  ContractError,
  catalogueOperations,
  checkOperations,
  consentOperations,
  explorerOperations,
  formatProblem,
  monitoringOperations,
  type PlatformStatus,
  type ReportState,
  type ServerStatus,
} from '../contract/index.ts'
import {
  documentPaths,
  type PublishedDocumentName,
  publishedDocumentNames,
} from '../contract/openapi/document-names.ts'
import { draftHandlers } from '../platform/catalogue/drafts.ts'
import type {
  Answer,
  CatalogueOperationId,
  Context,
  Handlers,
} from '../platform/catalogue/handler.ts'
import { openPageCache } from '../platform/catalogue/page-cache.ts'
import { productHandlers } from '../platform/catalogue/products.ts'
import {
  openPublishedAnswers,
  publishedEndpoints,
} from '../platform/catalogue/published-answers.ts'
import {
  openPublishedProducts,
  type PublishedProducts,
  type UnpublishedEntry,
} from '../platform/catalogue/published-products.ts'
import type { CatalogueStore } from '../platform/catalogue/store.ts'
import { summaryHandlers } from '../platform/catalogue/summaries.ts'
import { cdsBasePath } from '../platform/cds/paths.ts'
import type { RawQuery } from '../platform/cds/query.ts'
import type { CheckRuns } from '../platform/check-runs/check-runs.ts'
import { consentHandlers } from '../platform/consent/handlers.ts'
import type { ConsentStore } from '../platform/consent/store.ts'
import type { Explorer } from '../platform/explorer/explorer.ts'
import { publicOperations } from '../platform/usage/operations.ts'
import { type AdminMount, mountAdmin } from './admin-app.ts'
import { type AppOptions, type HttpApp, openApp } from './app.ts'
import { mountOtherPaths } from './cds-response.ts'
import type { ConsentMount } from './consent-app.ts'
import { type ConsoleFile, mountConsole } from './console-app.ts'
import { type DiscoverySources, mountDiscovery } from './discovery-app.ts'
import { type MonitoringOptions, mountMonitoring } from './monitoring-app.ts'
import { mountOperation } from './mount-operation.ts'
import { mountOpenApi } from './openapi-route.ts'
import { mountPublicEndpoint } from './public-cds-endpoint.ts'
import { mountSessions } from './session-app.ts'
import type { SessionOptions } from './session-options.ts'
import { mountTokens } from './token-route.ts'

const handlers: Handlers = { ...productHandlers, ...draftHandlers, ...summaryHandlers }

/** How long a client may cache the key set, in seconds. An unknown key id makes it fetch a new key sooner. */
const keySetSeconds = 300

/** How many products a process keeps in memory, within the size limit of the cache. */
const cachedProductsMax = 4096

export interface PlatformAppOptions extends AppOptions, MonitoringOptions, SessionOptions {
  /** The version of Holdfast, for the OpenAPI document. */
  readonly version: string
  readonly catalogue: CatalogueStore
  readonly signingKeys: SigningKeyStore
  readonly clock: () => Temporal.Instant
  readonly consents: Pick<
    ConsentStore,
    'arrangements' | 'thirdParties' | 'flows' | 'corrections' | 'disclosureRecords'
  >
  readonly checks: CheckRuns
  readonly readStatus: () => Promise<PlatformStatus>
  readonly readProvider: () => Promise<ServerStatus | undefined>
  /** The report of half a year to the regulator, or how far it has been made. */
  readonly readReport: (period: string) => Promise<ReportState>
  /** None by default. */
  readonly listOutages?: DiscoverySources['listOutages'] | undefined
  /**
   * The scheme, host and port that links of the public endpoints begin with. By default those of the issuer; without
   * an issuer, the address that the server listens on.
   */
  readonly publicUrl?: string | undefined
  /** What the register calls, if its keys are set. */
  readonly admin?: AdminMount | undefined
  /** The consent role, if the platform has it. */
  readonly consent?: ConsentMount | undefined
  /** Reads the files of the console. Called for its first page. */
  readonly readConsoleFiles: () => Promise<readonly ConsoleFile[]>
  /** Calls the provider. Undefined: it is disabled. */
  readonly explorer?: Explorer | undefined
}

/** The platform over HTTP: the catalogue, access tokens for it, the public keys, consent and the console. */
export function openPlatformApp(options: PlatformAppOptions): HttpApp {
  const { access, signingKeys, explorer } = options
  const app = openApp('platform', options)
  mountSessions(app, options)
  mountOpenApi(app, listDocuments(options))
  const pages = openPageCache<Uint8Array>(({ length }) => length)
  const products = openPageCache<Uint8Array>(({ length }) => length, cachedProductsMax)
  const published = openPublishedProducts({
    store: options.catalogue,
    clock: options.clock,
    onUnpublished: (entries) => logUnpublished(options, entries),
  })
  for (const id of Object.keys(catalogueOperations) as CatalogueOperationId[]) {
    mount(app, id, options, { pages, products, published })
  }
  if (options.admin && options.consent) {
    const { origin, basePath } = options.consent
    mountAdmin(app, { origin, basePath: basePath + cdsBasePath }, options.admin)
  }
  mountPublished(app, options, published)
  mountTokens(app, access, options.trustedProxies)
  mountConsole(app, options.readConsoleFiles)
  mountOperation(app, accessOperations.getKeySet, access, async () => ({
    headers: { 'cache-control': `public, max-age=${keySetSeconds}` },
    body: JSON.stringify(toPublicKeySet(await signingKeys.list())),
  }))
  mountConsents(app, options)
  mountMonitoring(app, options)
  mountOperation(app, monitoringOperations.getStatus, access, async () => ({
    body: JSON.stringify(await options.readStatus()),
  }))
  mountChecks(app, options)
  mountOperation(app, explorerOperations.callProvider, access, async ({ body }) => {
    if (!explorer) throw new ContractError('explorer_disabled')
    return { body: JSON.stringify(await explorer(body)) }
  })
  options.consent?.mount(app)
  return app
}

/** All documents. Their code is loaded with the first request for one. */
function listDocuments({ version, consent }: PlatformAppOptions) {
  const issuer = consent && consent.origin + consent.basePath
  const build = (name: PublishedDocumentName) => async () => {
    const { buildPublishedDocument } = await import('../platform/third-party-api/document.ts')
    return buildPublishedDocument(name, version, issuer)
  }
  return {
    '/openapi.json': build('platform'),
    ...Object.fromEntries(publishedDocumentNames.map((name) => [documentPaths[name], build(name)])),
  }
}

function mount(
  app: HttpApp,
  id: CatalogueOperationId,
  { catalogue: store, access, clock }: PlatformAppOptions,
  shared: Pick<Context, 'pages' | 'products' | 'published'>,
): void {
  const handler = handlers[id] as (input: unknown, context: Context) => Promise<Answer>
  const operation = catalogueOperations[id]
  mountOperation(app, operation, access, async (input, { client }) => {
    try {
      return await handler(input, { store, clock, ...shared, client })
    } finally {
      // Also after an error: the change may have been committed.
      if (operation.method !== 'GET') shared.published.noteChange()
    }
  })
}

function mountPublished(
  app: HttpApp,
  { consent, publicUrl, clock, readProvider, listOutages = () => [] }: PlatformAppOptions,
  published: PublishedProducts,
): void {
  const basePath = (consent?.basePath ?? '') + cdsBasePath
  // Not from the Host header, which the client chooses.
  const origin = publicUrl ?? consent?.origin
  let baseUrl = (origin ?? '') + basePath
  app.addHook('onListen', async () => {
    baseUrl = (origin ?? app.listeningOrigin) + basePath
  })
  const mount = { basePath, readBaseUrl: () => baseUrl }
  const { product, products } = publishedEndpoints
  const answers = openPublishedAnswers(published)
  const count = (id: 'products' | 'product') =>
    ({ endpoint: `cds-${id}`, counted: publicOperations[id] }) as const
  mountPublicEndpoint(app, mount, products, count('products'), (input, { url, query }) =>
    answers.list(input, url, query as RawQuery),
  )
  mountPublicEndpoint(app, mount, product, count('product'), (input, { params }) =>
    answers.read(input, (params as { readonly productId: string }).productId),
  )
  mountDiscovery(app, mount, {
    clock,
    listOutages,
    // Without consent, no data of customers is served.
    readProvider: async () => (consent ? readProvider() : undefined),
  })
  mountOtherPaths(app, basePath)
}

/** How many products a line is logged for at once. */
const unpublishedLinesMax = 20

function logUnpublished({ log }: PlatformAppOptions, entries: readonly UnpublishedEntry[]): void {
  for (const { id, version, faults } of entries.slice(0, unpublishedLinesMax)) {
    log?.warn({ product: id, version, faults: faults.map(formatProblem) }, 'product not published')
  }
  const others = entries.length - unpublishedLinesMax
  if (others > 0) log?.warn({ products: others }, 'more products not published')
}

function mountChecks(app: HttpApp, { access, checks }: PlatformAppOptions): void {
  const { createCheck, listChecks, getCheck } = checkOperations
  mountOperation(app, createCheck, access, async ({ body }, { client }) => {
    const run = await checks.start(body, client?.name ?? '')
    const location = `${createCheck.path}/${run.checkId}`
    return { headers: { location }, body: JSON.stringify(run) }
  })
  mountOperation(app, listChecks, access, async () => ({
    body: JSON.stringify({ data: await checks.list() }),
  }))
  mountOperation(app, getCheck, access, async ({ params }) => {
    const run = await checks.read(params.checkId)
    if (!run) throw new ContractError('check_not_found')
    const listed = JSON.stringify(run.listed)
    // The report is stored as JSON, and can be long.
    return {
      body: run.report === undefined ? listed : `${listed.slice(0, -1)},"report":${run.report}}`,
    }
  })
}

function mountConsents(
  app: HttpApp,
  { access, consents: store, clock, timeZone = 'UTC', consent, readReport }: PlatformAppOptions,
): void {
  const listCustomerRecords = consent?.listCustomerRecords
  for (const [id, operation] of Object.entries(consentOperations)) {
    const handler = consentHandlers[id as keyof typeof consentHandlers] as (
      input: unknown,
      context: unknown,
    ) => Promise<unknown>
    mountOperation(app, operation, access, async (input, { client }) => {
      const result = await handler(input, {
        ...{ store, now: clock(), timeZone, listCustomerRecords, readReport, client },
      })
      return result === undefined ? {} : { body: JSON.stringify(result) }
    })
  }
}
