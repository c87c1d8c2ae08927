import type { ProductRead } from '../../../contract/index.ts'
import { replaceProduct } from '../../../contract/operations/catalogue.ts'
import { putProductDraft } from '../../../contract/operations/drafts.ts'
import { call } from '../../api.ts'
import { Dialog } from '../../components/dialog.tsx'
import { FieldDiff } from '../../components/field-diff.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { Problem } from '../../components/problem.tsx'
import { Time } from '../../components/time.tsx'
import { useResource } from '../../resource.ts'
import { navigate } from '../../router.ts'
import { useAction } from '../../use-action.ts'
import { productUrl } from './addresses.ts'
import { type ProductWithState, readProduct, readVersion } from './read-product.ts'

interface Comparison {
  readonly old: ProductRead
  readonly current: ProductWithState
}

/** Shows what restoring a version would change, and saves it as a draft or publishes it. */
export function RestoreDialog({
  id,
  version,
  onClose,
  onRestored,
}: {
  readonly id: string
  readonly version: number
  readonly onClose: () => void
  readonly onRestored: () => void
}) {
  const resource = useResource<Comparison>(JSON.stringify([id, version]), async (signal) => {
    const [old, current] = await Promise.all([
      readVersion(id, version, signal),
      readProduct(id, signal),
    ])
    return { old, current }
  })
  return (
    <Dialog title={`Restore version ${version}?`} onClose={onClose}>
      <Loaded resource={resource}>
        {(comparison) => (
          <Choice
            id={id}
            version={version}
            comparison={comparison}
            onClose={onClose}
            onPublished={() => {
              onRestored()
              onClose()
            }}
            onReload={() => resource.reload()}
          />
        )}
      </Loaded>
      {!resource.value && (
        <button type="button" class="secondary" onClick={onClose}>
          Cancel
        </button>
      )}
    </Dialog>
  )
}

function Choice({
  id,
  version,
  comparison: { old, current },
  onClose,
  onPublished,
  onReload,
}: {
  readonly id: string
  readonly version: number
  readonly comparison: Comparison
  readonly onClose: () => void
  readonly onPublished: () => void
  readonly onReload: () => void
}) {
  const { isBusy, error, run } = useAction()
  const { product, draft, change } = current
  const params = { productID: id }
  const publish = async () => {
    const headers = { 'if-match': product?.etag ?? '' }
    await call(replaceProduct, { params, body: old, headers })
    onPublished()
  }
  const saveDraft = async () => {
    await call(putProductDraft, {
      params,
      body: old,
      query: { 'base-version': change?.version },
      headers: draft ? { 'if-match': draft.etag } : { 'if-none-match': '*' },
    })
    navigate(productUrl(id, '/edit'))
  }
  return (
    <>
      {product ? (
        <FieldDiff
          before={product.body}
          after={old}
          beforeLabel={`Now (version ${change?.version})`}
          afterLabel={`Version ${version}`}
        />
      ) : (
        <p>The product was deleted. Publishing the draft makes it exist again.</p>
      )}
      {draft && (
        <Notice kind="warn" title="A draft exists">
          <p>
            {draft.body.changed_by_name} saved it at <Time value={draft.body.changed_at} />. Saving
            this version as a draft replaces it.
          </p>
        </Notice>
      )}
      {error?.status === 412 ? (
        <Notice kind="warn" title="Nothing was changed">
          <p>{error.message}. Another editor may have changed it while this dialog was open.</p>
          <button type="button" class="secondary" onClick={onReload}>
            Show what would change now
          </button>
        </Notice>
      ) : (
        error && <Problem error={error} />
      )}
      <p class="buttons">
        <button type="button" disabled={isBusy} onClick={() => run(saveDraft)}>
          Save as a draft
        </button>
        {product && (
          <button type="button" class="secondary" disabled={isBusy} onClick={() => run(publish)}>
            Publish now
          </button>
        )}
        <button type="button" class="secondary" onClick={onClose}>
          Cancel
        </button>
      </p>
    </>
  )
}
