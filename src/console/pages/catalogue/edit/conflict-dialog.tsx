import { useEffect, useState } from 'preact/hooks'
import { Button, SecondaryButton } from '../../../components/button.tsx'
import { Dialog } from '../../../components/dialog.tsx'
import { FieldDiff } from '../../../components/field-diff.tsx'
import { Problem, Skeleton } from '../../../components/states.tsx'
import { Time } from '../../../components/time.tsx'
import { navigate } from '../../../router.ts'
import { useAction } from '../../../use-action.ts'
import { catalogueUrl } from '../addresses.ts'
import { keepMine, mergeConflict, takeTheirs } from './actions.ts'
import type { Fields } from './drafts.ts'
import type { Conflict, Editor } from './editor.ts'

const titles = {
  draft: 'Another editor saved this draft',
  product: 'The product has changed since this draft was made from it',
  discarded: 'The draft was published or discarded',
  deleted: 'The product was deleted',
} as const

/** Who did what meanwhile, what differs, and the choice between both. Nothing is changed before it is made. */
export function ConflictDialog({
  editor,
  conflict,
}: {
  readonly editor: Editor
  readonly conflict: Conflict
}) {
  const [merged, setMerged] = useState<Fields>()
  const { isBusy, error, run } = useAction()
  useEffect(() => {
    run(async () => setMerged(await mergeConflict(editor, conflict)))
  }, [conflict])
  const { author } = conflict.source
  const isDeleted = conflict.kind === 'deleted'
  const close = () => {
    editor.conflict.value = undefined
  }
  return (
    <Dialog title={titles[conflict.kind]} onClose={close}>
      {author && (
        <p>
          The last change was made by <strong>{author.name}</strong>, <Time value={author.at} />.
          Nothing that you entered is lost.
        </p>
      )}
      {isDeleted ? (
        <p>Continuing with your draft makes the product exist again when it is published.</p>
      ) : (
        <>
          <h3>What your version changes in theirs</h3>
          {merged && (
            <FieldDiff
              before={conflict.product}
              after={merged}
              beforeLabel="Theirs"
              afterLabel="Mine"
            />
          )}
          {!merged && !error && <Skeleton lines={3} />}
        </>
      )}
      {error && <Problem error={error} />}
      <p class="buttons">
        <Button
          disabled={isBusy || !merged}
          onClick={() => merged && keepMine(editor, conflict, merged)}
        >
          {isDeleted ? 'Continue with mine' : 'Continue with mine on top of theirs'}
        </Button>
        <SecondaryButton
          disabled={isBusy}
          onClick={() =>
            run(async () => {
              const outcome = await takeTheirs(editor, conflict)
              if (outcome === 'gone') navigate(catalogueUrl, { replace: true })
            })
          }
        >
          {isDeleted ? 'Discard my draft' : 'Take theirs'}
        </SecondaryButton>
        <SecondaryButton onClick={close}>Decide later</SecondaryButton>
      </p>
      <p class="muted">
        Continuing with yours keeps their other changes, and saves nothing yet. Taking theirs
        discards what you changed.
      </p>
    </Dialog>
  )
}
