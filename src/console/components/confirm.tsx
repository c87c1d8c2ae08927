import type { ComponentChildren } from 'preact'
import { useAction } from '../use-action.ts'
import { Dialog } from './dialog.tsx'
import { Problem } from './problem.tsx'

/** Asks before a change, makes it, and shows why it failed. It closes when the change is made. */
export function Confirm({
  title,
  action,
  isDangerous = false,
  children,
  onConfirm,
  onClose,
}: {
  readonly title: string
  /** The text of the button that makes the change. */
  readonly action: string
  readonly isDangerous?: boolean
  /** Says what happens. */
  readonly children: ComponentChildren
  readonly onConfirm: () => Promise<void>
  readonly onClose: () => void
}) {
  const { isBusy, error, run } = useAction()
  const confirm = () =>
    run(async () => {
      await onConfirm()
      onClose()
    })
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {error && <Problem error={error} />}
      <p class="buttons">
        <button
          type="button"
          class={isDangerous ? 'dangerous' : undefined}
          disabled={isBusy}
          onClick={confirm}
        >
          {action}
        </button>
        <button type="button" class="secondary" onClick={onClose}>
          Cancel
        </button>
      </p>
    </Dialog>
  )
}
