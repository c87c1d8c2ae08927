import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { useAction } from '../use-action.ts'
import { Button, SecondaryButton } from './button.tsx'
import type { Titled } from './page-heading.tsx'
import { Problem } from './states.tsx'

/** A modal dialog. Without `onClose`, it stays until it is no longer rendered. */
export function Dialog({ title, children, onClose }: Titled & { readonly onClose?: () => void }) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  // In a layout effect, so that no key is pressed in between. Closing returns the focus to where it was before.
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}

/** Says what a change does, makes it if it is confirmed, and shows why it failed. It closes when the change is made. */
export function Confirm({
  title,
  action,
  isDangerous = false,
  isReady = true,
  children,
  onConfirm,
  onClose,
}: Titled & {
  /** The text of the button that makes the change. */
  readonly action: string
  readonly isDangerous?: boolean
  /** Whether what the dialog asks for is answered. */
  readonly isReady?: boolean
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
        <Button
          class={isDangerous ? 'dangerous' : undefined}
          disabled={isBusy || !isReady}
          onClick={confirm}
        >
          {action}
        </Button>
        <SecondaryButton onClick={onClose}>Cancel</SecondaryButton>
      </p>
    </Dialog>
  )
}
