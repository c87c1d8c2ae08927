import { useState } from 'preact/hooks'
import type { ControlAttributes } from './field-props.ts'

const pattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)$/

/** The UTC offsets of Australia, besides that of the browser and that of the value. */
const australianOffsets = ['+08:00', '+09:30', '+10:00', '+10:30', '+11:00']

/**
 * A date-time with its UTC offset. A value that two controls cannot show without changing it, and one that is not a
 * date-time, is edited as text.
 */
export function TimeControl({
  control,
  value,
  label,
  onChange,
}: {
  readonly control: ControlAttributes
  readonly value: unknown
  readonly label: string
  readonly onChange: (value: unknown) => void
}) {
  const [, local = '', valueOffset] = pattern.exec(typeof value === 'string' ? value : '') ?? []
  const [chosen, setChosen] = useState<string>()
  if (typeof value === 'string' && value !== incomplete && local === '') {
    return (
      <input
        {...control}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value || undefined)}
      />
    )
  }
  const offset = valueOffset ?? chosen ?? readBrowserOffset(new Date())
  const offsets = [...new Set(['Z', offset, readBrowserOffset(new Date()), ...australianOffsets])]
  const input = (event: { readonly currentTarget: HTMLInputElement }) => {
    const { value: text, validity } = event.currentTarget
    if (text === '') onChange(validity.badInput ? incomplete : undefined)
    else {
      // Daylight saving time may apply on that date and not now.
      const offsetThen = valueOffset ?? chosen ?? readBrowserOffset(new Date(text))
      onChange(`${addSeconds(text)}${offsetThen}`)
    }
  }
  return (
    <span class="time-control">
      <input {...control} type="datetime-local" step="1" value={local} onInput={input} />
      <select
        aria-label={`${label}: UTC offset`}
        value={offset}
        onChange={(event) => {
          setChosen(event.currentTarget.value)
          if (local !== '') onChange(`${addSeconds(local)}${event.currentTarget.value}`)
        }}
      >
        {offsets.map((each) => (
          <option key={each} value={each}>
            {each === 'Z' ? 'UTC' : `UTC${each}`}
          </option>
        ))}
      </select>
    </span>
  )
}

/** Stands for a date-time of which only parts are entered, so that it is reported and not lost. */
const incomplete = 'incomplete'

function addSeconds(local: string): string {
  return /T\d\d:\d\d$/.test(local) ? `${local}:00` : local
}

function readBrowserOffset(time: Date): string {
  const minutes = -time.getTimezoneOffset()
  if (minutes === 0) return 'Z'
  const pad = (count: number) => String(Math.trunc(count)).padStart(2, '0')
  return `${minutes < 0 ? '-' : '+'}${pad(Math.abs(minutes) / 60)}:${pad(Math.abs(minutes) % 60)}`
}
