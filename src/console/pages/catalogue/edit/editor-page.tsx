import { useEffect, useRef, useState } from 'preact/hooks'
import { SecondaryButton } from '../../../components/button.tsx'
import { CustomerView } from '../../../components/customer-view.tsx'
import { Confirm } from '../../../components/dialog.tsx'
import { type Crumbs, PageHeading } from '../../../components/page-heading.tsx'
import { Problem } from '../../../components/states.tsx'
import { confirmLeaving, location, setQuery } from '../../../router.ts'
import { catalogueCrumbs, productUrl } from '../addresses.ts'
import { createCommands } from './commands.ts'
import { ConflictDialog } from './conflict-dialog.tsx'
import type { Editor } from './editor.ts'
import { EditorState } from './editor-state.tsx'
import { ErrorList } from './error-list.tsx'
import { ProductForm } from './product-form.tsx'
import { GapCount, PublicCatalogue } from './public-catalogue.tsx'
import { PublishDialog } from './publish-dialog.tsx'
import { UnlikelyValues } from './unlikely-values.tsx'

/** The form of a product, what customers would read, and what can be done with the draft. */
export function EditorPage({
  editor,
  title,
  restoredAt,
}: {
  readonly editor: Editor
  readonly title: string
  /** When the changes were made that the tab had kept. */
  readonly restoredAt?: number | undefined
}) {
  const [isDiscarding, setDiscarding] = useState(false)
  const isDirty = editor.isDirty.value
  useEffect(() => (isDirty ? confirmLeaving(askToLeave) : undefined), [isDirty])
  const { saveDraft, startReview, publishDraft, discardDraft, compare } = createCommands(editor)
  const { source, conflict, review, product } = editor
  // The page of the product links here to publish its draft.
  useEffect(() => {
    if (!location.value.query.has('publish')) return
    setQuery({ publish: undefined }, { replace: true })
    startReview()
  }, [])
  return (
    <>
      <PageHeading title={title} crumbs={listCrumbs(editor)} />
      <EditorState editor={editor} restoredAt={restoredAt} onCompare={compare} />
      <FailedCommand editor={editor} />
      <ErrorList editor={editor} />
      <div class="editor">
        <form
          noValidate
          class="editor-form"
          onSubmit={(event) => {
            event.preventDefault()
            saveDraft()
          }}
        >
          <ProductForm editor={editor} />
          <Actions editor={editor} onPublish={startReview} onDiscard={() => setDiscarding(true)} />
        </form>
        <div class="editor-side">
          <PublicCatalogue editor={editor} />
          <UnlikelyValues editor={editor} />
          <aside class="editor-preview card" aria-label="What a customer would read">
            <h2>What a customer would read</h2>
            <CustomerView product={product.value} />
          </aside>
        </div>
      </div>
      {conflict.value && <ConflictDialog editor={editor} conflict={conflict.value} />}
      {review.value && (
        <PublishDialog
          editor={editor}
          published={review.value.published}
          onConfirm={publishDraft}
          onClose={() => {
            review.value = undefined
          }}
        />
      )}
      {isDiscarding && (
        <Confirm
          title="Discard this draft?"
          action="Discard draft"
          isDangerous
          onConfirm={discardDraft}
          onClose={() => setDiscarding(false)}
        >
          <p>The draft and your unsaved changes are deleted.</p>
          <p>
            {source.value.baseVersion > 0
              ? 'The published product does not change.'
              : 'The product was never published: nothing of it is left.'}
          </p>
        </Confirm>
      )}
    </>
  )
}

function listCrumbs({ id, baseline }: Editor): Crumbs {
  const { name } = baseline.value
  if (id.value === undefined) return catalogueCrumbs
  return [...catalogueCrumbs, [String(name ?? 'Product'), productUrl(id.value)]]
}

/** Why the last command failed. It gets the focus, because the button may be far below it. */
function FailedCommand({ editor }: { readonly editor: Editor }) {
  const ref = useRef<HTMLDivElement>(null)
  // After a 401, the shell asks to sign in again.
  const error = editor.error.value?.status === 401 ? undefined : editor.error.value
  useEffect(() => ref.current?.focus(), [error])
  if (!error) return null
  return (
    <div ref={ref} tabIndex={-1}>
      <Problem error={error} />
      <p class="muted">What you entered is kept.</p>
    </div>
  )
}

function askToLeave(): boolean {
  return window.confirm(
    'There are unsaved changes. Leave this page? This tab keeps them until you close it.',
  )
}

function Actions({
  editor,
  onPublish,
  onDiscard,
}: {
  readonly editor: Editor
  readonly onPublish: () => void
  readonly onDiscard: () => void
}) {
  const isBusy = editor.isBusy.value
  return (
    <div class="editor-actions">
      <p class="buttons">
        <button type="submit" aria-disabled={isBusy}>
          {isBusy ? 'Saving …' : 'Save draft'}
        </button>
        <SecondaryButton aria-disabled={isBusy} onClick={onPublish}>
          Publish …
        </SecondaryButton>
        {editor.source.value.tag !== undefined && (
          <SecondaryButton onClick={onDiscard}>Discard draft …</SecondaryButton>
        )}
        <GapCount editor={editor} />
      </p>
      <p role="status" class="saved">
        {editor.message.value}
      </p>
      {editor.isDirty.value && <p class="muted">There are unsaved changes. This tab keeps them.</p>}
      <p role="status" class="visually-hidden">
        {editor.announcement.value}
      </p>
    </div>
  )
}
