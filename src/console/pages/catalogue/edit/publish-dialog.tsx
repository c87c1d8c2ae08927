import { useState } from 'preact/hooks'
import { findProductWarnings, formatProductWarning } from '../../../../contract/product-warnings.ts'
import { diffProducts } from '../../../../platform/catalogue/diff.ts'
import { Button } from '../../../components/button.tsx'
import { CustomerView } from '../../../components/customer-view.tsx'
import { Confirm, Dialog } from '../../../components/dialog.tsx'
import { FieldDiff } from '../../../components/field-diff.tsx'
import { ConfirmWarnings } from '../confirm-warnings.tsx'
import type { Loaded } from './drafts.ts'
import type { Editor } from './editor.ts'
import { FieldLink } from './field-link.tsx'
import { Visibility } from './visibility.tsx'

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
  const [isConfirmed, setConfirmed] = useState(false)
  const warnings = findProductWarnings(after)
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
    <Confirm
      title="Publish this draft?"
      action="Publish"
      isReady={warnings.length === 0 || isConfirmed}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <Visibility product={after} id={editor.id.value} />
      <ConfirmWarnings
        warnings={warnings}
        isConfirmed={isConfirmed}
        onChange={setConfirmed}
        show={(warning) => (
          <FieldLink editor={editor} path={warning.path} onFollow={onClose}>
            {formatProductWarning(warning)}
          </FieldLink>
        )}
      />
      {published && <p>Version {published.source.baseVersion} stays in the history.</p>}
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
