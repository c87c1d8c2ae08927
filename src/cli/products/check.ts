import { escapeInvisible } from '../../contract/characters.ts'
import {
  findPublicationFaults,
  formatProblem,
  normalizer,
  type Problem,
  ProductInput,
} from '../../contract/index.ts'
import type { CatalogueStore } from '../../platform/catalogue/store.ts'
import { CommandError, type Terminal } from '../../server/terminal.ts'
import { formatQuantity } from '../common/format-count.ts'
import { findDraft, findVersion } from './find.ts'
import { readDrafts, readProducts, toJsonLine } from './list.ts'

export interface CheckFlags {
  readonly drafts?: true | undefined
  readonly limit: number
  readonly json?: boolean | undefined
}

/** Prints why products cannot be published, and fails if there are any. Without ids, all products are checked. */
export async function checkProducts(
  store: CatalogueStore,
  ids: readonly string[],
  { drafts, limit, json }: CheckFlags,
  terminal: Terminal,
): Promise<void> {
  let checked = 0
  let unpublishable = 0
  let printed = 0
  let isCut = false
  for await (const { id, product } of drafts ? readDraftsOf(store, ids) : readOf(store, ids)) {
    checked += 1
    // One more than can be printed, so that a cut is noticed.
    const faults = findPublicationFaults({ ...product, product_id: id }, limit - printed + 1)
    if (faults.length > 0) unpublishable += 1
    isCut ||= faults.length > limit - printed
    for (const fault of faults.slice(0, limit - printed)) {
      printed += 1
      terminal.out(formatFault(id, product.name, fault, json))
    }
  }
  if (isCut) terminal.error(`only the first ${limit} lines: use a higher --limit\n`)
  const all = formatQuantity(checked, drafts ? 'draft' : 'product')
  if (unpublishable > 0) {
    throw new CommandError(1, `${unpublishable} of ${all} cannot be published`)
  }
  if (!json) terminal.out(`${all} checked: nothing prevents publication\n`)
}

interface Checked {
  readonly id: string
  readonly product: ProductInput
}

const normalize = normalizer(ProductInput)

async function* readOf(store: CatalogueStore, ids: readonly string[]): AsyncGenerator<Checked> {
  const toProduct = (text: string) => normalize(JSON.parse(text)) as ProductInput
  for (const id of ids) yield { id, product: toProduct((await findVersion(store, id)).text) }
  if (ids.length > 0) return
  for await (const { item, text } of readProducts(store))
    yield { id: item.id, product: toProduct(text) }
}

async function* readDraftsOf(
  store: CatalogueStore,
  ids: readonly string[],
): AsyncGenerator<Checked> {
  const toChecked = (id: string, record: string) => ({ id, product: JSON.parse(record) })
  for (const id of ids) yield toChecked(id, (await findDraft(store, id)).draft.record)
  if (ids.length > 0) return
  for await (const { id } of readDrafts(store)) {
    const draft = await store.readDraft(id)
    // It may have been published or discarded since the list was read.
    if (draft) yield toChecked(id, draft.record)
  }
}

function formatFault(id: string, name: string, fault: Problem, json: boolean | undefined): string {
  if (json) return toJsonLine({ id, name, field: fault.path, reason: fault.reason })
  return `${escapeInvisible(`${id}  ${name}: ${formatProblem(fault)}`)}\n`
}
