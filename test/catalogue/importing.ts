import { type PublishedProduct, toCdsProductDetail } from '../../src/contract/index.ts'
import { openCatalogueStore } from '../../src/storage/open.ts'
import { newDatabase, type Scope } from '../support/engines.ts'
import { runInProcess } from '../support/process.ts'
import { openProductHolder } from '../support/product-holder.ts'

const productOf = (product_id: string): PublishedProduct => ({
  product_id,
  brand: 'Other Bank',
  description: 'An account',
  is_tailored: false,
  name: 'Account',
  product_category: 'TRANS_AND_SAVINGS_ACCOUNTS',
  last_updated: '2026-05-01T00:00:00Z',
})

export const detailOf = (id: string) => toCdsProductDetail(productOf(id), 7)

/** Another data holder with these products, and a catalogue to import them to. */
export async function openImport(t: Scope, ids: readonly string[] = ['p1', 'p2']) {
  const database = await newDatabase(t)
  const holder = await openProductHolder(t, ids.map(productOf))
  const run = (from = holder.url, ...rest: readonly string[]) => {
    const origin = from.startsWith('http') ? [] : ['--origin', 'Other Bank']
    return runInProcess([
      ...['products', 'import', from, ...origin, ...rest],
      ...['--database', database],
    ])
  }
  const isStored = async (id: string) => {
    const store = await openCatalogueStore(database)
    const product = await store.read(id)
    await store.close()
    return product !== undefined
  }
  return { database, holder, run, isStored }
}
