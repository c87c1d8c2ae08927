import { nameZone } from '../../../components/time.tsx'
import { timeZone } from '../../../session.ts'
import { fromLocal, toLocal } from '../../../zoned-time.ts'
import type { ControlAttributes } from './field-props.ts'

const pattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/

/**
 * A date-time in the time zone of the data provider. It keeps its own UTC offset until it is changed. A value that the
 * control cannot show, and one that is not a date-time, is edited as text.
 */
export function TimeControl({
  control,
  value,
  onChange,
}: {
  readonly control: ControlAttributes
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}) {
  const zone = timeZone.value
  const time = typeof value === 'string' && pattern.test(value) ? Date.parse(value) : Number.NaN
  const isText = typeof value === 'string' && value !== incomplete && Number.isNaN(time)
  if (isText) {
    return (
      <input
        {...control}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value || undefined)}
      />
    )
  }
  const input = (event: { readonly currentTarget: HTMLInputElement }) => {
    const { value: text, validity } = event.currentTarget
    if (text !== '') onChange(fromLocal(zone, text))
    else onChange(validity.badInput ? incomplete : undefined)
  }
  return (
    <span class="with-unit">
      <input
        {...control}
        type="datetime-local"
        step="1"
        value={Number.isNaN(time) ? '' : toLocal(zone, time)}
        onInput={input}
      />
      <span class="unit">{nameZone()}</span>
    </span>
  )
}

/** Stands for a date-time of which only parts are entered, so that it is reported and not lost. */
const incomplete = 'incomplete'
