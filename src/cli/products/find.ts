import { formatDraft } from '../../platform/catalogue/format-draft.ts'
import { addIdentity } from '../../platform/catalogue/product.ts'
import type { CatalogueStore, StoredDraft } from '../../platform/catalogue/store.ts'
import { CommandError } from '../../server/terminal.ts'

/** A product as a command shows it. */
export interface FoundProduct {
  /** The JSON text. */
  readonly text: string
  readonly label: string
  /** Of a version that was imported from another data holder. */
  readonly origin?: string | undefined
}

export async function findVersion(
  store: CatalogueStore,
  id: string,
  version?: number,
): Promise<FoundProduct> {
  const found = await store.read(id, version)
  if (!found) throw await explainMissing(store, id, version)
  return {
    text: addIdentity(found.shown, found.id, found.lastUpdated),
    label: `version ${found.version}, ${found.lastUpdated}`,
    origin: found.origin ?? undefined,
  }
}

export async function findDraft(
  store: CatalogueStore,
  id: string,
): Promise<FoundProduct & { readonly draft: StoredDraft }> {
  const draft = await store.readDraft(id)
  if (draft) {
    const saved = `${formatTime(draft.changedAt)} by ${draft.by.name}`
    const label = `draft of version ${draft.base}, ${saved}, ETag "${draft.tag}"`
    return { draft, text: formatDraft(draft), label }
  }
  if (!(await store.history(id, 1, 1))) throw unknownProduct()
  throw new CommandError(1, 'the product has no draft: run holdfast products list --drafts')
}

/** The newest version, which may be a deletion. */
export async function findNewest(store: CatalogueStore, id: string) {
  const newest = (await store.history(id, 1, 1))?.items[0]
  if (newest) return newest
  if (!(await store.readDraft(id))) throw unknownProduct()
  throw new CommandError(
    1,
    'the product is not published yet: it has only a draft. Run holdfast products show ID --draft',
  )
}

async function explainMissing(
  store: CatalogueStore,
  id: string,
  version: number | undefined,
): Promise<CommandError> {
  const newest = await findNewest(store, id)
  const deleted = version ?? newest.version
  if (deleted > newest.version) {
    return new CommandError(1, `the newest version of the product is ${newest.version}`)
  }
  const earlier = `such as holdfast products show ID --version ${deleted - 1}`
  return new CommandError(
    1,
    `the product was deleted in version ${deleted}: show or restore an earlier version, ${earlier}`,
  )
}

function unknownProduct(): CommandError {
  return new CommandError(1, 'no product with this ID: run holdfast products list')
}

export function formatTime(milliseconds: number): string {
  return Temporal.Instant.fromEpochMilliseconds(milliseconds).toString()
}
