import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { minimalProduct, productWithFields } from '../catalogue/products.ts'
import { fileScope } from '../support/engines.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runHoldfast } from '../support/process.ts'

export const productCount = 10_000

/** Ids with characters that mean something in a URL. */
export const oddIds = ['new', 'a/b?c#d', 'compare', '100%', 'é,ö']

/** Loads the products into a database before its demo starts. */
export async function loadManyProducts(database: string): Promise<void> {
  const file = join(await temporaryFolder(fileScope), 'products.ndjson')
  writeFileSync(file, [...createLines()].join(''))
  const { status, stderr } = await runHoldfast(['load', file, '--database', database])
  assert.equal(status, 0, stderr)
}

function* createLines(): Generator<string> {
  for (let index = 0; index < productCount; index += 1) {
    yield line({
      ...productWithFields({
        name: `Product ${String(index).padStart(5, '0')}`,
        brand: ['Bulk One', 'Bulk Two'][index % 2],
        product_category: ['TERM_DEPOSITS', 'LEASES'][index % 2],
        ...(index % 10 === 0 && { effective_to: '2020-01-01T00:00:00Z' }),
      }),
      product_id: `bulk-${index}`,
    })
  }
  for (const id of oddIds) yield line({ ...minimalProduct, name: `Odd ${id}`, product_id: id })
}

const line = (record: object) => `${JSON.stringify({ type: 'product', record })}\n`
