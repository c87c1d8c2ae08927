import { randomUUID } from 'node:crypto'
import {
  buildPageBody,
  ContractError,
  catalogueOperations,
  type ErrorCode,
  type ProductInput,
} from '../../contract/index.ts'
import { boundedContent, changeBy, requireValidDraft, toIdempotency } from './changes.ts'
import { formatEntityTag, parseDraftCondition } from './entity-tags.ts'
import { describeDraft, formatDraft } from './format-draft.ts'
import type { Context, Handlers } from './handler.ts'
import type { DraftContent, PublishConflict } from './store.ts'

export const draftHandlers = {
  async putProductDraft({ params, query, headers, body }, context) {
    const draft = newDraft(body, context)
    const saved = await context.store.saveDraft(params.productID, {
      ...draft,
      base: query['base-version'],
      ifTag: parseDraftCondition(headers['if-match']),
      ifNone: headers['if-none-match'] !== undefined,
    })
    if (saved === 'unknownVersion') {
      throw new ContractError('invalid_request', 'base-version must be a version of the product')
    }
    if (saved !== 'saved') throw new ContractError(saveConflicts[saved])
    return { headers: { etag: formatEntityTag(draft.tag) } }
  },

  async createProductDraft({ body, headers }, context) {
    const draft = newDraft(body, context)
    // The tag is the id as well, so that a retry can return the first ETag after the draft has changed.
    // A key of `createProduct` is not a key of the draft with the same content.
    const idempotency = toIdempotency(headers['idempotency-key'], { draft: body })
    const saved = await context.store.createDraft(draft.tag, draft, idempotency)
    if (saved === 'keyReused') throw new ContractError('idempotency_key_reused')
    const { product: id, created: changedAt } = saved
    const location = catalogueOperations.getProductDraft.path.replace('{productID}', id)
    const { record } = draft.content
    return {
      headers: { location, etag: formatEntityTag(id) },
      body: formatDraft({ ...draft, record, id, base: 0, newest: 0, changedAt }),
    }
  },

  async getProductDraft({ params }, { store }) {
    const draft = await store.readDraft(params.productID)
    if (!draft) throw new ContractError('draft_not_found')
    return { headers: { etag: formatEntityTag(draft.tag) }, body: formatDraft(draft) }
  },

  async deleteProductDraft({ params, headers }, { store }) {
    const ifTag = parseDraftCondition(headers['if-match'])
    const outcome = await store.removeDraft(params.productID, ifTag)
    if (outcome !== 'removed') throw new ContractError(conflicts[outcome])
    return {}
  },

  async publishProductDraft({ params, headers }, context) {
    const ifMatch = headers['if-match']
    if (ifMatch === undefined) throw new ContractError('precondition_required')
    const draft = await context.store.readDraft(params.productID)
    if (draft) requireValidDraft(draft.record)
    const ifTag = parseDraftCondition(ifMatch)
    const outcome = await context.store.publishDraft(params.productID, changeBy(context), ifTag)
    if (typeof outcome === 'string') throw new ContractError(conflicts[outcome])
    return { headers: { etag: formatEntityTag(outcome.version) } }
  },

  async listProductDrafts({ query }, { store }) {
    const request = { page: query.page, pageSize: query['page-size'] }
    const page = await store.listDrafts(request.page, request.pageSize)
    const items = page.items.map((draft) =>
      JSON.stringify({ product_id: draft.id, name: draft.name, ...describeDraft(draft) }),
    )
    return { body: buildPageBody('drafts', items, page, request, {}) }
  },
} satisfies Partial<Handlers>

const saveConflicts = {
  missing: 'product_not_found',
  changed: 'draft_changed',
  exists: 'draft_exists',
} as const

const conflicts = {
  missing: 'draft_not_found',
  changed: 'draft_changed',
  outdated: 'draft_outdated',
} as const satisfies Record<PublishConflict, ErrorCode>

function newDraft(body: ProductInput, context: Context): DraftContent {
  return { tag: randomUUID(), content: boundedContent(body), ...changeBy(context) }
}
