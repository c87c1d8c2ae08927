import { useState } from 'preact/hooks'
import { SecondaryButton } from '../../../components/button.tsx'
import { Notice } from '../../../components/states.tsx'
import { Time } from '../../../components/time.tsx'
import type { Source } from './drafts.ts'
import type { Editor } from './editor.ts'

/** What the form is based on, and what has happened to it. */
export function EditorState({
  editor,
  restoredAt,
  onCompare,
}: {
  readonly editor: Editor
  readonly restoredAt: number | undefined
  readonly onCompare: () => void
}) {
  const { tag, author, isOutdated } = editor.source.value
  const [isRestored, setRestored] = useState(restoredAt !== undefined)
  const discardChanges = () => {
    editor.reset(editor.baseline.value, editor.baseline.value, editor.source.value)
    setRestored(false)
  }
  return (
    <>
      <p class="muted">
        {describeSource(editor.source.value)}
        {author && tag !== undefined && (
          <>
            {' '}
            Saved by {author.name}, <Time value={author.at} />.
          </>
        )}
      </p>
      {isRestored && restoredAt !== undefined && (
        <Notice title="Your unsaved changes are restored">
          <p>
            You changed the product last at <Time value={new Date(restoredAt).toISOString()} />.
          </p>
          <SecondaryButton onClick={discardChanges}>Discard my changes</SecondaryButton>
        </Notice>
      )}
      {isOutdated && (
        <Notice kind="warn" title="The product has changed since this draft was made from it">
          <p>The draft cannot be published before it includes the change.</p>
          <SecondaryButton onClick={onCompare}>Compare with the published version</SecondaryButton>
        </Notice>
      )}
    </>
  )
}

function describeSource({ tag, baseVersion }: Source): string {
  if (tag !== undefined) {
    return baseVersion === 0
      ? 'Draft, not published yet.'
      : `Draft, based on version ${baseVersion}.`
  }
  return baseVersion === 0
    ? 'A new product. Customers see it when it is published.'
    : `Published version ${baseVersion}. Saving creates a draft, which customers do not see.`
}
