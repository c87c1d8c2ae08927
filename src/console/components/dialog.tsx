import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'

/** A modal dialog. Without `onClose`, it stays until it is no longer rendered. */
export function Dialog({
  title,
  children,
  onClose,
}: {
  readonly title: string
  readonly children: ComponentChildren
  readonly onClose?: () => void
}) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const opener = document.activeElement
    ref.current?.showModal()
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
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
