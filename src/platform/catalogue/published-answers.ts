import { epochNanoseconds } from '../../contract/date-time.ts'
import {
  type CdsDetailVersion,
  type CdsListVersion,
  cdsDetailVersions,
  cdsListVersions,
  type EffectiveFilter,
  listCdsCategories,
  printable,
  toCdsProductDetail,
} from '../../contract/index.ts'
import { listProducts } from '../../contract/operations/catalogue.ts'
import { pageQuery } from '../../contract/paging.ts'
import { buildLinks, buildMeta, type PagePosition, requirePage } from '../cds/envelope.ts'
import { CdsError } from '../cds/errors.ts'
import {
  type PublicAnswer,
  type PublicEndpoint,
  type PublicRequest,
  toAnswer,
} from '../cds/public-answer.ts'
import { type Parameters, type Query, type RawQuery, readQuery } from '../cds/query.ts'
import { selectVersion, type VersionHeaders } from '../cds/version.ts'
import { openPageCache } from './page-cache.ts'
import type { PublishedEntry, PublishedProducts, PublishedView } from './published-products.ts'

/** The public endpoints of products in the Consumer Data Standards. */
export const publishedEndpoints = {
  products: {
    path: '/banking/products',
    summary: 'Get Products',
    versions: [cdsListVersions[0], cdsListVersions[cdsListVersions.length - 1] as number],
  },
  product: {
    path: '/banking/products/{productId}',
    summary: 'Get Product Detail',
    versions: [cdsDetailVersions[0], cdsDetailVersions[cdsDetailVersions.length - 1] as number],
  },
} as const satisfies Record<string, PublicEndpoint>

/** A promise is returned only for what is not in memory. */
type Answering = PublicAnswer | Promise<PublicAnswer>

interface ListRequest {
  readonly headers: VersionHeaders
  readonly version: CdsListVersion
  readonly query: Query
  /** All spellings of a request have the same key. */
  readonly key: string
  /** The key of the response in the cache, for the view and the base URL that it was last requested with. */
  cached?: { readonly serial: number; readonly baseUrl: string; readonly key: string }
}

/** How many requests for lists are remembered, and how long the text of one may be. */
const requestsMax = 1000
const spellingLengthMax = 500

/** Renders the responses, and keeps the most recently used ones. May throw a `CdsError`. */
export function openPublishedAnswers(published: PublishedProducts) {
  const cache = openPageCache<PublicAnswer>(({ body }) => body.length)
  const requests = new Map<string, ListRequest>()

  /** Parsing and validation take longer than the rest of a cached response, and clients repeat few requests. */
  const readOnce = (request: PublicRequest, target: string, raw: RawQuery): ListRequest => {
    const { version, minimumVersion } = request
    const known = requests.get(target)
    const { headers } = known ?? {}
    const isSame = headers?.version === version && headers?.minimumVersion === minimumVersion
    if (known && isSame) return known
    const read = readListRequest({ version, minimumVersion }, raw)
    if (requests.size >= requestsMax) requests.clear()
    const length = target.length + (version?.length ?? 0) + (minimumVersion?.length ?? 0)
    if (length <= spellingLengthMax) requests.set(target, read)
    return read
  }

  const renderList = async (
    baseUrl: string,
    { version, query }: ListRequest,
    view: PublishedView,
  ): Promise<PublicAnswer> => {
    const { entries, position } = selectPage(view, version, query)
    const texts = await published.readListTexts(entries, version)
    const url = baseUrl + publishedEndpoints.products.path
    const links = JSON.stringify(buildLinks(url, query, position))
    const meta = JSON.stringify(buildMeta(position))
    return toAnswer(
      version,
      `{"data":{"products":[${texts.join()}]},"links":${links},"meta":${meta}}`,
    )
  }
  /** One at a time: a page may be large, needs no token, and counts as unsent bytes only when it is complete. */
  let rendering: Promise<unknown> = Promise.resolve()
  const answerList = (baseUrl: string, request: ListRequest, view: PublishedView): Answering => {
    const render = () => {
      const page = rendering.then(() => renderList(baseUrl, request, view))
      rendering = page.catch(() => undefined)
      return page
    }
    if (!isCacheable(request.query, view)) return render()
    return cache.get(getCacheKey(request, view.serial, baseUrl), render)
  }

  return {
    /** `target` is the text that the query was parsed from. */
    list(request: PublicRequest, target: string, raw: RawQuery): Answering {
      const { baseUrl } = request
      const read = readOnce(request, target, raw)
      const view = published.view()
      if (!(view instanceof Promise)) return answerList(baseUrl, read, view)
      return view.then((current) => answerList(baseUrl, read, current))
    },

    async read({ baseUrl, ...headers }: PublicRequest, productId: string): Promise<PublicAnswer> {
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

/** The text is created once: the cache then finds it without reading its characters. */
function getCacheKey(request: ListRequest, serial: number, baseUrl: string): string {
  const { cached, key } = request
  if (cached?.serial === serial && cached.baseUrl === baseUrl) return cached.key
  request.cached = { serial, baseUrl, key: `${serial} ${baseUrl} ${key}` }
  return request.cached.key
}

/** The query parameters of the list in each version: versions differ in the categories that exist. */
export const publishedParameters: ReadonlyMap<CdsListVersion, Parameters> = new Map(
  cdsListVersions.map((version) => [
    version,
    {
      ...(listProducts.query.properties as unknown as Parameters),
      ...(pageQuery as unknown as Parameters),
      'product-category': { enum: listCdsCategories(version) },
    },
  ]),
)

function readListRequest(headers: VersionHeaders, raw: RawQuery): ListRequest {
  const { versions } = publishedEndpoints.products
  const version = selectVersion(headers, versions) as CdsListVersion
  const query = readQuery(publishedParameters.get(version) ?? {}, raw)
  return { headers, version, query, key: JSON.stringify([version, query]) }
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
