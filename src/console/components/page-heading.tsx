import type { ComponentChildren } from 'preact'

/** The heading of a view, which gets the focus when the view is opened, and its actions. */
export function PageHeading({
  title,
  children,
}: {
  readonly title: string
  /** Buttons and links beside the heading. */
  readonly children?: ComponentChildren
}) {
  return (
    <div class="page-heading">
      <h1 tabIndex={-1}>{title}</h1>
      {children && <div class="buttons">{children}</div>}
    </div>
  )
}
