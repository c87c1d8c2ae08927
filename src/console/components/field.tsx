import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'

/** What a control gets from its field, to spread on it. */
interface ControlProps {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
}

/** Reads the texts of a form that is submitted, by the names of their fields. */
export function readForm(event: SubmitEvent): (name: string) => string {
  event.preventDefault()
  const form = new FormData(event.currentTarget as HTMLFormElement)
  return (name) => String(form.get(name) ?? '').trim()
}

interface FieldTexts {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly error?: string | undefined
}

/** A label, a hint, an error and one control. */
export function Field({
  label,
  hint,
  error,
  children,
}: FieldTexts & { readonly children: (control: ControlProps) => ComponentChildren }) {
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

export function TextField({ label, hint, error, ...attributes }: FieldTexts & InputHTMLAttributes) {
  return (
    <Field {...{ label, hint, error }}>{(control) => <input {...control} {...attributes} />}</Field>
  )
}

/** A text that is a parameter of the view. What is typed stays until the parameter changes. */
export function ParameterField({
  value,
  ...rest
}: FieldTexts & InputHTMLAttributes & { readonly value: string }) {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  return (
    <TextField {...rest} value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
  )
}

export function SelectField({
  label,
  hint,
  error,
  name,
  value,
  options,
  onSelect,
}: FieldTexts & {
  readonly name?: string
  readonly value?: string
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly onSelect?: (value: string) => void
}) {
  return (
    <Field {...{ label, hint, error }}>
      {(control) => (
        <select
          {...control}
          name={name}
          onChange={(event) => onSelect?.(event.currentTarget.value)}
        >
          {options.map(([option, text]) => (
            <option key={option} value={option} selected={option === value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** A filter: its name and its value in one pill, which is dashed while it has its standard value. */
export function ChipSelect({
  label,
  value,
  standard = '',
  options,
  onSelect,
}: {
  readonly label: string
  readonly value: string
  /** The value without a choice. By default, every value is shown then. */
  readonly standard?: string
  readonly options: readonly (readonly [value: string, label: string])[]
  readonly onSelect: (value: string) => void
}) {
  const id = useId()
  return (
    <span class={value === standard ? 'chip' : 'chip on'}>
      <label for={id}>{label}</label>
      <select id={id} onChange={(event) => onSelect(event.currentTarget.value)}>
        {options.map(([option, text]) => (
          <option key={option} value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    </span>
  )
}

/** A filter by a text, in one pill. It filters when the text is complete. */
export function ChipInput({
  label,
  value,
  onCommit,
  ...attributes
}: {
  readonly label: string
  readonly value: string
  readonly onCommit: (value: string) => void
} & InputHTMLAttributes) {
  const id = useId()
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  const commit = () => typed.trim() !== value && onCommit(typed.trim())
  // While one types in it, a control for a time has a complete value after every digit.
  const isTime = attributes.type === 'datetime-local'
  return (
    <span class={value === '' ? 'chip' : 'chip on'}>
      <label for={id}>{label}</label>
      <input
        {...attributes}
        id={id}
        value={typed}
        placeholder="Any"
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setTyped(event.currentTarget.value)}
        {...(isTime
          ? { onBlur: commit, onKeyDown: ({ key }: KeyboardEvent) => key === 'Enter' && commit() }
          : { onChange: (event) => onCommit(event.currentTarget.value.trim()) })}
      />
    </span>
  )
}
