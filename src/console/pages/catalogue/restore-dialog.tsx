import { useState } from 'preact/hooks'
import { replaceProduct } from '../../../contract/operations/catalogue.ts'
import { putProductDraft } from '../../../contract/operations/drafts.ts'
import { findProductWarnings } from '../../../contract/product-warnings.ts'
import { call } from '../../api.ts'
import { ChangedBy } from '../../components/actor-name.tsx'
import { Button, SecondaryButton } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FieldDiff } from '../../components/field-diff.tsx'
import { Loaded, Notice, Problem } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useResource } from '../../resource.ts'
import { navigate } from '../../router.ts'
import { useAction } from '../../use-action.ts'
import { productUrl } from './addresses.ts'
import { ConfirmWarnings } from './confirm-warnings.tsx'
import { toInput } from './edit/drafts.ts'
import { type ProductWithState, readProduct, readVersion } from './read-product.ts'

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
  const { isBusy, error, run } = useAction()
  const resource = useResource(JSON.stringify([id, version]), (signal) =>
    Promise.all([readVersion(id, version, signal), readProduct(id, signal)]),
  )
  const [body, { product, draft, change } = noState] = resource.value ?? []
  const params = { productID: id }
  const [isConfirmed, setConfirmed] = useState(false)
  const warnings = body ? findProductWarnings(body) : []
  const publish = async () => {
    await call(replaceProduct, { params, body, headers: { 'if-match': product?.etag ?? '' } })
    onRestored()
    onClose()
  }
  const saveDraft = async () => {
    await call(putProductDraft, {
      params,
      body,
      query: { 'base-version': change?.version },
      headers: draft ? { 'if-match': draft.etag } : { 'if-none-match': '*' },
    })
    navigate(productUrl(id, '/edit'))
  }
  return (
    <Dialog title={`Restore version ${version}?`} onClose={onClose}>
      <Loaded resource={resource}>
        {([old]) =>
          product ? (
            <FieldDiff
              before={toInput(product.body)}
              after={toInput(old)}
              beforeLabel={`Now (version ${change?.version})`}
              afterLabel={`Version ${version}`}
            />
          ) : (
            <p>The product was deleted. Publishing the draft makes it exist again.</p>
          )
        }
      </Loaded>
      {product && (
        <ConfirmWarnings warnings={warnings} isConfirmed={isConfirmed} onChange={setConfirmed} />
      )}
      {draft && (
        <Notice kind="warn" title="A draft exists">
          <p>
            <ChangedBy change={draft.body} /> saved it at <Time value={draft.body.changed_at} />.
            Saving this version as a draft replaces it.
          </p>
        </Notice>
      )}
      {error?.status === 412 ? (
        <Notice kind="warn" title="Nothing was changed">
          <p>{error.message}. Another editor may have changed it while this dialog was open.</p>
          <SecondaryButton onClick={resource.reload}>Show what would change now</SecondaryButton>
        </Notice>
      ) : (
        error && <Problem error={error} />
      )}
      <p class="buttons">
        {body && (
          <Button disabled={isBusy} onClick={() => run(saveDraft)}>
            Save as a draft
          </Button>
        )}
        {product && (
          <SecondaryButton
            disabled={isBusy || (warnings.length > 0 && !isConfirmed)}
            onClick={() => run(publish)}
          >
            Publish now
          </SecondaryButton>
        )}
        <SecondaryButton onClick={onClose}>Cancel</SecondaryButton>
      </p>
    </Dialog>
  )
}

/** Until it is read. */
const noState: Partial<ProductWithState> = {}
