import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** What a control gets from its field, to spread on it. */
export interface ControlProps {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

/** A label, a hint, an error and one control. */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly error?: string | undefined
  readonly children: (control: ControlProps) => ComponentChildren
}) {
  const id = useId()
  const described = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(error === undefined ? [] : [`${id}-error`]),
  ].join(' ')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p class="muted" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': error === undefined ? undefined : true,
      })}
    </div>
  )
}
