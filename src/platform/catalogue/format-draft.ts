import { addIdentity, toProductContent } from './product.ts'
import type { DraftSummary, StoredDraft } from './store.ts'

/** The JSON text of a draft. The product is shown as it would be read when published, so that the two can be compared. */
export function formatDraft(draft: Omit<StoredDraft, 'tag' | 'name'>): string {
  const state = describeDraft(draft)
  const { shown } = toProductContent(JSON.parse(draft.record))
  const product = addIdentity(shown, draft.id, state.changed_at)
  return `{"product":${product},${JSON.stringify(state).slice(1)}`
}

export function describeDraft({ base, newest, changedAt, by }: Omit<DraftSummary, 'tag' | 'name'>) {
  return {
    base_version: base,
    is_outdated: base !== newest,
    changed_at: Temporal.Instant.fromEpochMilliseconds(changedAt).toString(),
    changed_by: by.id,
    changed_by_name: by.name,
    ...(by.issuer !== undefined && { changed_by_issuer: by.issuer }),
  }
}
