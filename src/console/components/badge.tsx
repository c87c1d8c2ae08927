import type { ComponentChildren } from 'preact'

/** A state in a word, with a colour that never stands alone. */
export function Badge({
  kind = 'neutral',
  children,
}: {
  readonly kind?: 'good' | 'warn' | 'bad' | 'neutral'
  readonly children: ComponentChildren
}) {
  return <span class={`badge ${kind}`}>{children}</span>
}
