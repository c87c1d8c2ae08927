import { ApiError } from '../../../api.ts'
import { session } from '../../../session.ts'
import {
  createDraft,
  discardDraft,
  type Fields,
  type Loaded,
  publishDraft,
  readDeleted,
  readDraft,
  readPublished,
  readVersion,
  saveDraft,
} from './drafts.ts'
import type { Conflict, Editor } from './editor.ts'
import { isSame, mergeChanges } from './merge.ts'

/**
 * `unchanged`: there is nothing to save. `gone`: nothing is left to edit. `invalid`: the problems are shown.
 * `conflict`: another editor made a change, which is shown.
 */
export type Outcome = 'done' | 'unchanged' | 'gone' | 'invalid' | 'conflict'

/** Saves the draft. A change that is made meanwhile stays unsaved. Throws an `ApiError` if the server cannot do it. */
export async function save(editor: Editor): Promise<Outcome> {
  editor.showProblems()
  if (editor.problems.value.length > 0) return 'invalid'
  try {
    if (editor.id.value === undefined) await create(editor)
    const product = editor.product.value
    const { tag: before, baseVersion, isOutdated, isRebased } = editor.source.value
    if (!editor.isDirty.value && !isRebased) return before === undefined ? 'unchanged' : 'done'
    const tag = await saveDraft(editor.id.value ?? '', product, editor.source.value)
    const author = { name: session.value?.client_name ?? '', at: new Date().toISOString() }
    editor.reset(editor.product.value, product, { tag, baseVersion, isOutdated, author })
    return 'done'
  } catch (error) {
    return handle(editor, error, async () => 'done')
  }
}

/** The answer to an earlier attempt may have been lost: the same request is sent again, and creates no second draft. */
async function create(editor: Editor): Promise<void> {
  editor.pending.value ??= { key: makeKey(), product: editor.product.value }
  const { key, product } = editor.pending.value
  try {
    const { id, source } = await createDraft(key, product)
    editor.forget()
    editor.id.value = id
    editor.pending.value = undefined
    editor.reset(editor.product.value, product, source)
  } catch (error) {
    const isRejected = error instanceof ApiError && [400, 403, 413, 422].includes(error.status)
    if (isRejected) editor.pending.value = undefined
    throw error
  }
}

/** Publishes the saved draft. */
export async function publish(editor: Editor): Promise<Outcome> {
  const id = editor.id.value ?? ''
  const { tag = '' } = editor.source.value
  const product = editor.baseline.value
  try {
    const baseVersion = await publishDraft(id, tag)
    editor.reset(editor.product.value, product, { baseVersion, isOutdated: false })
    return 'done'
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) {
      // The answer to an earlier attempt may have been lost.
      const published = await readPublished(id)
      if (published && isSame(published.product, product)) {
        editor.reset(editor.product.value, product, published.source)
        return 'done'
      }
    }
    return handle(editor, error, () => publish(editor))
  }
}

/** Discards the draft and continues with the published version, if there is one. */
export async function discard(editor: Editor): Promise<Outcome> {
  const id = editor.id.value ?? ''
  const { tag } = editor.source.value
  try {
    if (tag !== undefined) await discardDraft(id, tag)
  } catch (error) {
    const isGone = error instanceof ApiError && error.status === 404
    if (!isGone) return handle(editor, error, () => discard(editor))
  }
  const published = await readPublished(id)
  if (published) editor.reset(published.product, published.product, published.source)
  else editor.baseline.value = editor.product.value
  editor.forget()
  return published ? 'done' : 'gone'
}

/** `onSame` continues if the draft on the server has the same content: the answer to an earlier attempt was lost. */
async function handle(
  editor: Editor,
  error: unknown,
  onSame: () => Promise<Outcome>,
): Promise<Outcome> {
  if (!(error instanceof ApiError)) throw error
  if (error.status === 400 || error.status === 422) {
    editor.reject(error.message)
    return 'invalid'
  }
  if (error.status !== 412 && error.status !== 404) throw error
  const conflict = await findConflict(editor)
  if (!conflict) return onSame()
  editor.conflict.value = conflict
  return 'conflict'
}

/** What another editor did. */
async function findConflict(editor: Editor): Promise<Conflict | undefined> {
  const id = editor.id.value ?? ''
  const draft = await readDraft(id)
  if (!draft) {
    const published = (await readPublished(id)) ?? (await readDeleted(id))
    if (published) return { ...published, kind: published.isDeleted ? 'deleted' : 'discarded' }
    editor.forget()
    editor.id.value = undefined
    editor.reset(editor.product.value, {}, { baseVersion: 0, isOutdated: false })
    throw new ApiError(404, 'Another editor discarded the draft. Saving creates a new one.')
  }
  if (draft.source.isOutdated && draft.source.tag === editor.source.value.tag) {
    return findOutdated(editor, draft)
  }
  if (!isSame(draft.product, editor.product.value)) return { ...draft, kind: 'draft' }
  editor.reset(draft.product, draft.product, draft.source)
  return undefined
}

/** The product changed since the draft was made from it. */
async function findOutdated(editor: Editor, { source }: Loaded): Promise<Conflict | undefined> {
  const id = editor.id.value ?? ''
  const published = (await readPublished(id)) ?? (await readDeleted(id))
  if (!published) return undefined
  const { tag } = source
  return {
    product: published.product,
    source: { ...published.source, isRebased: true, ...(tag !== undefined && { tag }) },
    kind: published.isDeleted ? 'deleted' : 'product',
  }
}

/** Shows what another editor did before this editor was opened. */
export async function checkConflict(editor: Editor, current: Loaded): Promise<void> {
  const { tag, isOutdated } = current.source
  if (tag !== editor.source.value.tag && !isSame(current.product, editor.product.value)) {
    editor.conflict.value = { ...current, kind: tag === undefined ? 'discarded' : 'draft' }
  } else if (isOutdated) {
    editor.conflict.value = await findOutdated(editor, current)
  }
}

/** My changes on top of theirs. */
export async function mergeConflict(editor: Editor, conflict: Conflict): Promise<Fields> {
  if (conflict.kind === 'deleted') return editor.product.value
  const base =
    conflict.kind === 'product'
      ? ((await readVersion(editor.id.value ?? '', editor.source.value.baseVersion)) ?? {})
      : editor.baseline.value
  return mergeChanges(base, editor.product.value, conflict.product) as Fields
}

/** Continues with my changes on top of theirs. They are not saved yet. */
export function keepMine(editor: Editor, conflict: Conflict, merged: Fields): void {
  const { product, source, kind } = conflict
  const isOnServer = kind === 'draft' || kind === 'discarded'
  editor.reset(merged, isOnServer ? product : editor.baseline.value, source)
  editor.conflict.value = undefined
}

/** Discards my changes. */
export async function takeTheirs(editor: Editor, conflict: Conflict): Promise<Outcome> {
  const { product, source, kind } = conflict
  const hasOwnDraft = kind === 'product' || kind === 'deleted'
  if (!hasOwnDraft) editor.reset(product, product, source)
  const outcome = hasOwnDraft ? await discard(editor) : 'done'
  if (outcome !== 'conflict') editor.conflict.value = undefined
  return outcome
}

/** Needs no secure context, unlike `crypto.randomUUID`. */
function makeKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}
