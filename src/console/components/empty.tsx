import type { ComponentChildren } from 'preact'

/** An empty list: what would be in it, and the command or button that fills it. */
export function Empty({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ComponentChildren
}) {
  return (
    <div class="empty">
      <p class="notice-title">{title}</p>
      {children}
    </div>
  )
}
