import { escapeInvisible, escapeInvisibleInLines } from '../../contract/characters.ts'
import type { CatalogueStore } from '../../platform/catalogue/store.ts'
import type { Terminal } from '../../server/terminal.ts'
import { findDraft, findVersion } from './find.ts'

export async function showProduct(
  store: CatalogueStore,
  id: string,
  which: number | 'draft' | undefined,
  terminal: Terminal,
): Promise<void> {
  const { text, origin } =
    which === 'draft' ? await findDraft(store, id) : await findVersion(store, id, which)
  terminal.out(`${escapeInvisibleInLines(JSON.stringify(JSON.parse(text), null, 2))}\n`)
  // It is no field of the product, so that the output can be sent as a request.
  if (origin !== undefined) terminal.error(`${escapeInvisible(`imported from ${origin}`)}\n`)
}
