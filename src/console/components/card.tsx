import type { ComponentChildren } from 'preact'

/** A part of a view with a heading. `note` is a short text beside the heading, and `actions` are at its right. */
export function Card({
  title,
  note,
  actions,
  children,
}: {
  readonly title: string
  readonly note?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) {
  return (
    <section class="card">
      <div class="card-heading">
        <h2>{title}</h2>
        {note !== undefined && <span class="muted">{note}</span>}
        {actions !== undefined && <div class="buttons">{actions}</div>}
      </div>
      {children}
    </section>
  )
}

/** A figure with its label, what explains it, and its course. */
export function Stat({
  label,
  value,
  detail,
  children,
}: {
  readonly label: ComponentChildren
  readonly value: ComponentChildren
  readonly detail?: ComponentChildren
  readonly children?: ComponentChildren
}) {
  return (
    <li class="card stat">
      <div class="label">{label}</div>
      <strong class="number">{value}</strong>
      <div class="detail">{detail}</div>
      {children}
    </li>
  )
}
