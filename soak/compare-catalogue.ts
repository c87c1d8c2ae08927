import {
  detailVersion,
  getDetail,
  listVersion,
  publishedPath,
} from '../test/catalogue/published.ts'
import { productPath } from '../test/support/call-platform.ts'
import type { ProductModel } from './catalogue-model.ts'
import type { Catalogue } from './catalogue-writers.ts'

/** Compares every version, the newest one and the published product. */
export async function compareProduct(
  { context: { tally }, ask }: Catalogue,
  product: ProductModel,
): Promise<void> {
  const { id } = product
  const path = productPath(id)
  const history = await ask('history', (caller) => caller.history(id, '?page-size=1000'))
  const count: number = history.body?.data?.history?.length ?? 0
  const names: string[] = []
  for (let version = 1; version <= count; version += 1) {
    const { body } = await ask('P3', (caller) => caller.get(`${path}?version=${version}`))
    names.push(String(body?.name))
  }
  product.compare(names)
  const current = await ask('P3', (caller) => caller.get(path))
  const published = await ask('published detail', (caller) => getDetail(caller, id, detailVersion))
  tally.count('catalogue: products compared')
  for (const _ of names) tally.count('catalogue: versions compared')
  const found = [current.headers['etag'], current.body?.name, published.body?.data?.name]
  const expected = [`"${count}"`, names.at(-1), names.at(-1)]
  if (found.join() !== expected.join())
    tally.fault('wrong', `product ${id} is shown as ${found.join()} instead of ${expected.join()}`)
}

/** The published list has every product once, with its newest name. */
export async function compareCatalogue(
  { context: { tally }, ask }: Catalogue,
  products: readonly ProductModel[],
): Promise<void> {
  const listed = new Map<string, string>()
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const path = `${publishedPath}?page=${page}&page-size=100`
    const { status, text, body } = await ask('published list', (caller) =>
      caller.get(path, listVersion),
    )
    if (status !== 200) throw new Error(`${path} got ${status} ${text}`)
    for (const { productId, name } of body.data.products) {
      if (listed.has(productId)) tally.fault('wrong', `product ${productId} is listed twice`)
      listed.set(productId, name)
    }
    pages = body.meta.totalPages
  }
  for (const { id } of products) {
    const { body } = await ask('P3', (caller) => caller.get(productPath(id)))
    if (listed.get(id) !== body?.name)
      tally.fault('wrong', `product ${id} is listed as ${listed.get(id)}, not as ${body?.name}`)
  }
  if (listed.size !== products.length)
    tally.fault('wrong', `${listed.size} products are listed, ${products.length} were created`)
}
