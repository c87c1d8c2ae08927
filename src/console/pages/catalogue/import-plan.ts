import { listProductSummaries } from '../../../contract/operations/catalogue.ts'
import { read } from '../../api.ts'
import type { ImportLine } from './import-file.ts'

/** What the catalogue has now under the id of a line. */
export interface Existing {
  /** Undefined if there is only a draft. */
  readonly version: number | undefined
  readonly hasDraft: boolean
}

export interface PlannedLine extends ImportLine {
  /** Undefined for a new product. */
  readonly existing: Existing | undefined
}

/** The largest page of the list. */
const pageSize = 1000

/** Finds which lines name a product or a draft that exists. */
export async function planImport(
  lines: readonly ImportLine[],
  signal: AbortSignal,
): Promise<PlannedLine[]> {
  const existing = new Map<string, Existing>()
  const hasIds = lines.some(({ id }) => id !== undefined)
  for (let page = 1, pages = hasIds ? 1 : 0; page <= pages; page += 1) {
    const query = { sort: 'name', page, 'page-size': pageSize }
    const { data, meta } = await read(listProductSummaries, { query, signal })
    pages = meta.totalPages
    for (const { product_id, version, has_draft } of data.products) {
      existing.set(product_id, { version, hasDraft: has_draft })
    }
  }
  return lines.map((line) => ({
    ...line,
    existing: line.id === undefined ? undefined : existing.get(line.id),
  }))
}
