import type { ComponentChildren } from 'preact'

/** A state in a word, with a colour that never stands alone. */
export type StateLabel = readonly [kind: 'good' | 'warn' | 'bad' | 'neutral', word: string]

export function StateBadge({ label: [kind, word] }: { readonly label: StateLabel }) {
  return <Badge kind={kind}>{word}</Badge>
}

export function Badge({
  kind = 'neutral',
  children,
}: {
  readonly kind?: StateLabel[0]
  readonly children: ComponentChildren
}) {
  return <span class={`badge ${kind}`}>{children}</span>
}

/** The options of a filter by state. */
export function listStates(labels: Readonly<Record<string, StateLabel>>) {
  const options = Object.entries(labels).map(([state, [, word]]) => [state, word] as const)
  return [['', 'All'] as const, ...options]
}
