import { buildLinks, buildMeta, type PagePosition, requirePage } from '../cds/envelope.ts'
import { CdsError } from '../cds/errors.ts'
import {
  type PublicAnswer,
  type PublicEndpoint,
  type PublicRequest,
  toAnswer,
} from '../cds/public-answer.ts'
import { type Parameters, type Query, type RawQuery, readQuery } from '../cds/query.ts'
import { selectVersion } from '../cds/version.ts'
import { epochNanoseconds } from '../contract/date-time.ts'
import {
  type CdsDetailVersion,
  type CdsListVersion,
  cdsDetailVersions,
  cdsListVersions,
  type EffectiveFilter,
  listCdsCategories,
  printable,
  toCdsProductDetail,
} from '../contract/index.ts'
import { listProducts } from '../contract/operations/catalogue.ts'
import { pageQuery } from '../contract/paging.ts'
import { openPageCache } from './page-cache.ts'
import type { PublishedEntry, PublishedProducts, PublishedView } from './published-products.ts'

/** The public endpoints of products in the Consumer Data Standards. */
export const publishedEndpoints = {
  products: {
    method: 'GET',
    path: '/banking/products',
    versions: [cdsListVersions[0], cdsListVersions[cdsListVersions.length - 1] as number],
  },
  product: {
    method: 'GET',
    path: '/banking/products/{productId}',
    versions: [cdsDetailVersions[0], cdsDetailVersions[cdsDetailVersions.length - 1] as number],
  },
} as const satisfies Record<string, PublicEndpoint>

/** May throw a `CdsError`. */
export interface PublishedAnswers {
  /** `target` is the text that `query` was parsed from. */
  list(request: PublicRequest, target: string, query: RawQuery): Promise<PublicAnswer>
  read(request: PublicRequest, productId: string): Promise<PublicAnswer>
}

interface ListRequest {
  readonly version: CdsListVersion
  readonly query: Query
  /** The same for all spellings of the request. */
  readonly key: string
}

/** How many requests for lists are remembered, and how long the text of one may be. */
const requestsMax = 1000
const spellingLengthMax = 500

/** Renders the responses, and keeps the most recently used ones. */
export function openPublishedAnswers(published: PublishedProducts): PublishedAnswers {
  const cache = openPageCache<PublicAnswer>(({ body }) => body.length)
  const requests = new Map<string, ListRequest>()

  /** Parsing and validation take longer than the rest of a cached response, and clients repeat few requests. */
  const readOnce = (request: PublicRequest, target: string, raw: RawQuery): ListRequest => {
    // No header contains a line break.
    const spelling = `${request.version}\n${request.minimumVersion ?? '\n'}\n${target}`
    const known = requests.get(spelling)
    if (known) return known
    const read = readListRequest(request, raw)
    if (requests.size >= requestsMax) requests.clear()
    if (spelling.length <= spellingLengthMax) requests.set(spelling, read)
    return read
  }

  return {
    async list(request, target, raw) {
      const url = request.baseUrl + publishedEndpoints.products.path
      const { version, query, key } = readOnce(request, target, raw)
      const view = await published.view()
      const render = async () => {
        const { entries, position } = selectPage(view, version, query)
        const texts = await published.readListTexts(entries, version)
        const links = JSON.stringify(buildLinks(url, query, position))
        const meta = JSON.stringify(buildMeta(position))
        return toAnswer(
          version,
          `{"data":{"products":[${texts.join()}]},"links":${links},"meta":${meta}}`,
        )
      }
      return isCacheable(query, view) ? cache.get(`${view.serial} ${url} ${key}`, render) : render()
    },

    async read({ baseUrl, ...headers }, productId) {
      const { versions } = publishedEndpoints.product
      const version = selectVersion(headers, versions) as CdsDetailVersion
      const view = await published.view()
      const entry = view.products.get(productId)
      if (!entry) throw unknownProduct(productId)
      const url = `${baseUrl}${publishedEndpoints.products.path}/${encodeURIComponent(productId)}`
      return cache.get(JSON.stringify([view.serial, url, version]), async () => {
        const data = toCdsProductDetail(await published.readProduct(entry), version)
        if (!data) throw unknownProduct(productId)
        return toAnswer(version, JSON.stringify({ data, links: { self: url }, meta: {} }))
      })
    },
  }
}

/** Versions differ in the categories that exist. */
const parameters: ReadonlyMap<CdsListVersion, Parameters> = new Map(
  cdsListVersions.map((version) => [
    version,
    {
      ...(listProducts.query.properties as unknown as Parameters),
      ...(pageQuery as unknown as Parameters),
      'product-category': { enum: listCdsCategories(version) },
    },
  ]),
)

function readListRequest(request: PublicRequest, raw: RawQuery): ListRequest {
  const { versions } = publishedEndpoints.products
  const version = selectVersion(request, versions) as CdsListVersion
  const query = readQuery(parameters.get(version) ?? {}, raw)
  return { version, query, key: JSON.stringify([version, query]) }
}

function selectPage(view: PublishedView, version: CdsListVersion, query: Query) {
  const { effective, brand, 'product-category': category, 'updated-since': since } = query
  const after = since === undefined ? undefined : epochNanoseconds(since as string)
  const found = view.lists[effective as EffectiveFilter].filter(
    (each: PublishedEntry) =>
      each.texts.has(version) &&
      (brand === undefined || each.brand === brand) &&
      (category === undefined || each.category === category) &&
      (after === undefined || each.updatedAt > after),
  )
  const [page, pageSize] = [Number(query['page']), Number(query['page-size'])]
  const position: PagePosition = { page, pageSize, totalRecords: found.length }
  requirePage(position)
  return { entries: found.slice((page - 1) * pageSize, page * pageSize), position }
}

/** Clients choose any time and any brand: lists of these would only evict others. */
function isCacheable({ brand, 'updated-since': since }: Query, { brands }: PublishedView): boolean {
  return since === undefined && (brand === undefined || brands.has(brand as string))
}

function unknownProduct(id: string): CdsError {
  return new CdsError('unknownProduct', printable(id))
}
