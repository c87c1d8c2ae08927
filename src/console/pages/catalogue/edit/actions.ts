import {
  createProductDraft,
  deleteProductDraft,
  publishProductDraft,
  putProductDraft,
} from '../../../../contract/operations/drafts.ts'
import { ApiError, call, ifFound } from '../../../api.ts'
import { session } from '../../../session.ts'
import {
  type Fields,
  type Loaded,
  newSource,
  readBase,
  readServer,
  toAuthor,
  toVersion,
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
    // Only over the draft that the edit is based on.
    const { etag: tag } = await call(putProductDraft, {
      params: { productID: editor.id.value ?? '' },
      body: product,
      headers: before === undefined ? { 'if-none-match': '*' } : { 'if-match': before },
      query: baseVersion === 0 ? {} : { 'base-version': baseVersion },
    })
    const author = { name: session.value?.user.name ?? '', at: new Date().toISOString() }
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
    const headers = { 'idempotency-key': key }
    const { body, etag: tag } = await call(createProductDraft, { body: product, headers })
    editor.forget()
    editor.id.value = body.product.product_id
    editor.pending.value = undefined
    editor.reset(editor.product.value, product, { ...newSource, tag, author: toAuthor(body) })
  } catch (error) {
    const isRejected = error instanceof ApiError && [400, 403, 413, 422].includes(error.status)
    if (isRejected) editor.pending.value = undefined
    throw error
  }
}

/** Publishes the saved draft, if it is still the one that was reviewed. */
export async function publish(editor: Editor): Promise<Outcome> {
  const id = editor.id.value ?? ''
  const { tag = '' } = editor.source.value
  const product = editor.baseline.value
  try {
    const input = { params: { productID: id }, headers: { 'if-match': tag } }
    const { etag } = await call(publishProductDraft, input)
    editor.reset(editor.product.value, product, { ...newSource, baseVersion: toVersion(etag) })
    return 'done'
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) {
      // The answer to an earlier attempt may have been lost.
      const { published } = await readServer(id)
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
  const params = { productID: editor.id.value ?? '' }
  const { tag } = editor.source.value
  try {
    const headers = { 'if-match': tag ?? '' }
    if (tag !== undefined) await ifFound(call(deleteProductDraft, { params, headers }))
  } catch (error) {
    return handle(editor, error, () => discard(editor))
  }
  const { published } = await readServer(params.productID)
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
  const { draft, published, deleted } = await readServer(editor.id.value ?? '')
  if (!draft) {
    if (published) return { ...published, kind: 'discarded' }
    if (deleted) return { ...deleted, kind: 'deleted' }
    editor.forget()
    editor.id.value = undefined
    editor.reset(editor.product.value, {}, newSource)
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
async function findOutdated(editor: Editor, draft: Loaded): Promise<Conflict | undefined> {
  const { published, deleted } = await readServer(editor.id.value ?? '')
  const current = published ?? deleted
  if (!current) return undefined
  const { tag = '' } = draft.source
  return {
    product: current.product,
    source: { ...current.source, isRebased: true, tag },
    kind: deleted ? 'deleted' : 'product',
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
      ? await readBase(editor.id.value ?? '', editor.source.value.baseVersion)
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
