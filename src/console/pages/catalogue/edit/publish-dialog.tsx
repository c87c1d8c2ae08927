import { diffProducts } from '../../../../platform/catalogue/diff.ts'
import { Button } from '../../../components/button.tsx'
import { CustomerView } from '../../../components/customer-view.tsx'
import { Confirm, Dialog } from '../../../components/dialog.tsx'
import { FieldDiff } from '../../../components/field-diff.tsx'
import type { Loaded } from './drafts.ts'
import type { Editor } from './editor.ts'

/** The difference between the draft and the published version, to confirm. */
export function PublishDialog({
  editor,
  published,
  onConfirm,
  onClose,
}: {
  readonly editor: Editor
  /** Undefined: customers do not see the product yet. */
  readonly published: Loaded | undefined
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
}) {
  const before = published?.product ?? {}
  const after = editor.baseline.value
  if (published && diffProducts(before, after).length === 0) {
    return (
      <Dialog title="Nothing to publish" onClose={onClose}>
        <p>The draft does not differ from version {published.source.baseVersion}.</p>
        <p class="buttons">
          <Button onClick={onClose}>Close</Button>
        </p>
      </Dialog>
    )
  }
  return (
    <Confirm title="Publish this draft?" action="Publish" onConfirm={onConfirm} onClose={onClose}>
      <p>
        {published
          ? `Customers see the changes at once. Version ${published.source.baseVersion} stays in the history.`
          : 'Customers do not see this product yet. They see it at once, as follows.'}
      </p>
      {published ? (
        <FieldDiff
          before={before}
          after={after}
          beforeLabel={`Version ${published.source.baseVersion}`}
          afterLabel="Draft"
        />
      ) : (
        <CustomerView product={after} />
      )}
    </Confirm>
  )
}
