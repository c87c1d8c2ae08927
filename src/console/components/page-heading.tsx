import type { ComponentChildren } from 'preact'

export interface Titled {
  readonly title: string
  readonly children?: ComponentChildren
}

/** The heading of a view, which gets the focus when the view is opened, with buttons and links beside it. */
export function PageHeading({ title, children }: Titled) {
  return (
    <div class="page-heading">
      <h1 tabIndex={-1}>{title}</h1>
      {children && <div class="buttons">{children}</div>}
    </div>
  )
}
