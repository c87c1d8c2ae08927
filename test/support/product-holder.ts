import type { ServerResponse } from 'node:http'
import {
  type CdsDetailVersion,
  type CdsListVersion,
  type PublishedProduct,
  toCdsListProduct,
  toCdsProductDetail,
} from '../../src/contract/index.ts'
import type { Scope } from './engines.ts'
import { openUpstream, type Respond, respondJson } from './upstream.ts'

const listPath = '/cds-au/v1/banking/products'

export interface HolderOptions {
  readonly listVersion?: CdsListVersion
  readonly detailVersion?: CdsDetailVersion
}

/** Another data holder, with the public endpoints of products. It is closed with the scope. */
export async function openProductHolder(
  scope: Scope,
  initial: readonly PublishedProduct[],
  { listVersion = 5, detailVersion = 7 }: HolderOptions = {},
) {
  let products = initial
  /** Responses that replace those of a path. */
  const replaced = new Map<string, Respond>()

  const list = (response: ServerResponse, query: URLSearchParams, address: string) => {
    const pageSize = Number(query.get('page-size') ?? 25)
    const page = Number(query.get('page') ?? 1)
    const isLast = page * pageSize >= products.length
    const shown = products.slice((page - 1) * pageSize, page * pageSize)
    const link = (number: number) => {
      query.set('page', String(number))
      return `${address}${listPath}?${query}`
    }
    sendJson(response, {
      data: { products: shown.map((product) => toCdsListProduct(product, listVersion)) },
      links: { self: link(page), ...(!isLast && { next: link(page + 1) }) },
      meta: { totalRecords: products.length, totalPages: Math.ceil(products.length / pageSize) },
    })
  }

  const upstream = await openUpstream(scope, (response, request) => {
    const address = `http://${request.headers.host}`
    const { pathname, searchParams } = new URL(request.url ?? '', address)
    const replacement = replaced.get(pathname)
    if (replacement) return replacement(response, request)
    const isList = pathname === listPath
    const version = isList ? listVersion : detailVersion
    const { 'x-v': highest, 'x-min-v': lowest } = request.headers
    if (Number(highest) < version || Number(lowest) > version) {
      return respondJson('{"errors":[]}', 406)(response, request)
    }
    if (isList) return list(response, searchParams, address)
    const id = decodeURIComponent(pathname.slice(listPath.length + 1))
    const product = products.find(({ product_id }) => product_id === id)
    if (!product) return respondJson('{"errors":[]}', 404)(response, request)
    sendJson(response, {
      data: toCdsProductDetail(product, detailVersion),
      links: { self: `${address}${pathname}` },
    })
  })
  return {
    address: upstream.address,
    url: `${upstream.address}/cds-au/v1`,
    listPath,
    detailPath: (id: string) => `${listPath}/${encodeURIComponent(id)}`,
    replaced,
    publish(changed: readonly PublishedProduct[]): void {
      products = changed
    },
    /** All requests so far, and the ids of the products among them. */
    requests: upstream.requests,
    requestedIds: () =>
      upstream.requests
        .map(({ url }) => url)
        .filter((url) => url.startsWith(`${listPath}/`))
        .map((url) => decodeURIComponent(url.slice(listPath.length + 1))),
  }
}

function sendJson(response: ServerResponse, body: object): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
}
