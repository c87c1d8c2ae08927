import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { SecondaryButton } from './button.tsx'

/** The filters of a list. On a phone, they are behind a button, so that the list is near. */
export function Filters({
  count,
  children,
}: {
  /** How many are chosen. */
  readonly count: number
  readonly children: ComponentChildren
}) {
  const id = useId()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <SecondaryButton
        class="secondary filters-toggle"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        Filters{count > 0 && ` (${count})`}
      </SecondaryButton>
      <div id={id} class={isOpen ? 'filters open' : 'filters'}>
        {children}
      </div>
    </>
  )
}
