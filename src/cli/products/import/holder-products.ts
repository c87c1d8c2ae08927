import { isDots } from '../../../contract/cds/field-types.ts'
import { cdsDetailVersions, cdsListVersions } from '../../../contract/index.ts'
import { listProducts } from '../../../contract/operations/catalogue.ts'
import { pageQuery } from '../../../contract/paging.ts'
import { scalars } from '../../../contract/scalars.ts'
import { isObject } from '../../../contract/schema.ts'
import { isProtected, isWebUrl } from '../../../server/settings/value-rules.ts'
import { CommandError } from '../../../server/terminal.ts'
import type { HolderProduct } from './holder-product.ts'
import { type ReadJson, RequestError, resolveSameOrigin } from './json-requests.ts'

const pageSize = 100

/** More than any holder publishes. */
const pagesMax = 1000

/** The largest page of the standards: a filter in the URL may ask for it. */
const pageSizeMax = 1000

const listBytesMax = 8 * 1024 * 1024

/** Far more than a product of the catalogue. */
const detailBytesMax = 1024 * 1024

/** How many products are requested at the same time. */
const requestsMax = 4

/** After so many products in a row that could not be read, the rest is not requested. */
const failuresMax = 10

export const listPath = '/banking/products'

/** The others, such as a key, are sent with every request. */
export const listParameters = Object.keys({ ...listProducts.query.properties, ...pageQuery })

/** The address of Get Products: `text` is it, or the base path of the API. */
export function parseListUrl(text: string): URL {
  const url = isWebUrl(text.replace(/^https?:/i, (scheme) => scheme.toLowerCase()))
    ? new URL(text)
    : undefined
  if (url?.username !== '' || url.password !== '' || url.hash !== '') {
    throw new CommandError(
      2,
      'the URL must be an http or https URL without credentials and fragment',
    )
  }
  if (!isProtected(text)) {
    throw new CommandError(2, 'the URL must be an https URL, or an http URL of this host')
  }
  const path = url.pathname.replace(/\/+$/, '')
  url.pathname = path.endsWith(listPath) ? path : path + listPath
  for (const [name, value] of [
    ['effective', 'ALL'],
    ['page-size', String(pageSize)],
  ] as const) {
    if (!url.searchParams.has(name)) url.searchParams.set(name, value)
  }
  return url
}

/** A product in the list of a holder. */
export interface ListedProduct {
  readonly id: string
  readonly lastUpdated: unknown
}

export interface HolderOptions {
  readonly read: ReadJson
  /** Whether the catalogue has the product already, so that it need not be requested. */
  readonly compare: (product: ListedProduct) => Promise<HolderProduct['present']>
}

/** The products that a holder publishes, in the order of its list. */
export async function* readHolderProducts(
  listUrl: URL,
  options: HolderOptions,
): AsyncGenerator<HolderProduct> {
  let failures = 0
  const find = async (product: ListedProduct | HolderProduct | CommandError) => {
    if (product instanceof CommandError) throw product
    return 'id' in product ? findProduct(product, listUrl, options) : product
  }
  for await (const found of mapInOrder(readList(listUrl, options.read), find)) {
    yield found
    failures = found.failure === undefined ? 0 : failures + 1
    if (failures < failuresMax) continue
    throw new CommandError(1, `${failures} products in a row could not be read`)
  }
}

async function findProduct(
  product: ListedProduct,
  listUrl: URL,
  { read, compare }: HolderOptions,
): Promise<HolderProduct> {
  const { id } = product
  const present = await compare(product)
  if (present) return { label: id, present }
  const url = new URL(`${listUrl.pathname}/${encodeURIComponent(id)}`, listUrl)
  for (const [name, value] of listUrl.searchParams) {
    if (!listParameters.includes(name)) url.searchParams.append(name, value)
  }
  try {
    const body = await read({
      url,
      headers: acceptVersions(cdsDetailVersions),
      bytesMax: detailBytesMax,
    })
    const detail = isObject(body) ? body['data'] : undefined
    if (isObject(detail) && detail['productId'] === id) return { label: id, detail }
    return { label: id, failure: `${formatUrl(url)} was answered with another product` }
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    const failure = `${formatUrl(url)} ${error.message}`
    if (error.isFinal) throw new CommandError(1, failure, { cause: error })
    return { label: id, failure }
  }
}

/** The last item is an error if the rest of the list cannot be read: the products before it are still requested. */
async function* readList(
  start: URL,
  read: ReadJson,
): AsyncGenerator<ListedProduct | HolderProduct | CommandError> {
  const ids = new Set<string>()
  const pages = new Set<string>()
  const headers = acceptVersions(cdsListVersions)
  let url: URL | undefined = start
  for (let page = 1; url; page += 1) {
    try {
      if (page > pagesMax) throw new RequestError(`is more than the ${pagesMax} that are read`)
      if (pages.has(url.href)) throw new RequestError('is one that was read before')
      pages.add(url.href)
      const body: unknown = await read({ url, headers, bytesMax: listBytesMax })
      for (const product of findListed(body, page)) {
        // A product moves to another page when others are added or removed meanwhile.
        if ('id' in product && ids.has(product.id)) continue
        if ('id' in product) ids.add(product.id)
        yield product
      }
      url = findNextPage(body, url)
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      const message = `page ${page} of ${formatUrl(start)} ${error.message}`
      yield new CommandError(1, message, { cause: error })
      return
    }
  }
}

function findListed(body: unknown, page: number): (ListedProduct | HolderProduct)[] {
  const data = isObject(body) ? body['data'] : undefined
  const products = isObject(data) ? data['products'] : undefined
  if (!Array.isArray(products)) throw new RequestError('was answered without data.products')
  if (products.length > pageSizeMax) {
    throw new RequestError(`was answered with more than ${pageSizeMax} products`)
  }
  return products.map((product: unknown, index) => {
    const { productId: id, lastUpdated } = isObject(product) ? product : {}
    if (typeof id === 'string' && scalars.id.test(id) && !isDots(id)) return { id, lastUpdated }
    const label = `product ${index + 1} of page ${page}`
    return { label, failure: `productId must be ${scalars.id.mustBe}, other than . and ..` }
  })
}

function findNextPage(body: unknown, url: URL): URL | undefined {
  const links = isObject(body) ? body['links'] : undefined
  const next = isObject(links) ? links['next'] : undefined
  if (typeof next !== 'string' || next === '') return undefined
  return resolveSameOrigin(next, url, 'refers with links.next')
}

function acceptVersions(versions: readonly number[]): Record<string, string> {
  return { 'x-v': String(versions.at(-1)), 'x-min-v': String(versions[0]) }
}

/** Without the query, which may contain a key. */
function formatUrl({ origin, pathname }: URL): string {
  return origin + pathname
}

/** Calls `map` for several items at the same time. */
async function* mapInOrder<Item, Result>(
  items: AsyncIterable<Item>,
  map: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = []
  const start = (item: Item): void => {
    const result = map(item)
    // An error is thrown when it is the turn of the item.
    result.catch(() => {})
    running.push(result)
  }
  try {
    for await (const item of items) {
      start(item)
      if (running.length === requestsMax) yield (await running.shift()) as Result
    }
    while (running.length > 0) yield (await running.shift()) as Result
  } finally {
    await Promise.allSettled(running)
  }
}
