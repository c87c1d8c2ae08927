import { toProductContent } from './product.ts'
import type {
  NewDraft,
  NewestVersion,
  ProductContent,
  PublishConflict,
  RemoveConflict,
  SaveConflict,
  StoredDraft,
  TagCondition,
} from './store.ts'

type Existing = Pick<StoredDraft, 'tag' | 'base'> | undefined

/** Whether a draft may be saved, and which version it is based on. Called in the transaction that saves it. */
export function checkSave(
  newest: NewestVersion | undefined,
  existing: Existing,
  { base, ifTag, ifNone }: NewDraft,
): { readonly base: number } | SaveConflict {
  if (!newest && !existing) return 'missing'
  if (ifTag && !(existing && ifTag(existing.tag))) return 'changed'
  if (ifNone && existing) return 'exists'
  const version = newest?.version ?? 0
  if (base !== undefined && base > version) return 'unknownVersion'
  return { base: base ?? existing?.base ?? version }
}

/** Undefined if the draft may be removed. */
export function checkRemove(
  existing: Existing,
  ifTag: TagCondition | undefined,
): RemoveConflict | undefined {
  if (!existing) return 'missing'
  return ifTag && !ifTag(existing.tag) ? 'changed' : undefined
}

/** The product to publish. Called in the transaction that publishes it. */
export function checkPublish(
  newest: NewestVersion | undefined,
  existing: Pick<StoredDraft, 'tag' | 'base' | 'record'> | undefined,
  ifTag: TagCondition | undefined,
): ProductContent | PublishConflict {
  const conflict = checkRemove(existing, ifTag)
  if (!existing || conflict) return conflict ?? 'missing'
  if (existing.base !== (newest?.version ?? 0)) return 'outdated'
  return toProductContent(JSON.parse(existing.record))
}
