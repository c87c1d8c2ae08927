import type { ComponentChildren } from 'preact'

const labels = { good: 'Success', warn: 'Warning', bad: 'Error', info: 'Note' } as const

/** A message in the page. Its kind is also said in words. */
export function Notice({
  kind = 'info',
  title,
  children,
}: {
  readonly kind?: keyof typeof labels
  readonly title: string
  readonly children?: ComponentChildren
}) {
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' || kind === 'warn' ? 'alert' : 'status'}>
      <p class="notice-title">
        <span class="visually-hidden">{labels[kind]}: </span>
        {title}
      </p>
      {children}
    </div>
  )
}
