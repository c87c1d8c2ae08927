import { useState } from 'preact/hooks'
import type { ControlAttributes } from './field-props.ts'
import { type DurationUnit, durationUnits, fromPeriod, toPeriod } from './units.ts'

/** A duration as a number and a unit. One of several units is edited as text. */
export function PeriodControl({
  control,
  value,
  label,
  onChange,
}: {
  readonly control: ControlAttributes
  readonly value: string
  readonly label: string
  readonly onChange: (value: unknown) => void
}) {
  const [chosen, setChosen] = useState<DurationUnit>('M')
  const period = value === '' ? { count: '', unit: chosen } : toPeriod(value)
  const change = (count: string, unit: DurationUnit) => onChange(fromPeriod({ count, unit }))
  return (
    <span class="with-unit">
      <input
        {...control}
        value={period?.count ?? value}
        onInput={({ currentTarget: { value: text } }) => {
          if (period) change(text, period.unit)
          else onChange(text || undefined)
        }}
        autocomplete="off"
        inputMode={period && 'numeric'}
        class={period && 'number'}
      />
      {period ? (
        <select
          class="unit"
          aria-label={`${label}: unit`}
          onChange={({ currentTarget }) => {
            const unit = currentTarget.value as DurationUnit
            setChosen(unit)
            if (period.count !== '') change(period.count, unit)
          }}
        >
          {durationUnits.map(([unit, name]) => (
            <option key={unit} value={unit} selected={unit === period.unit}>
              {name}
            </option>
          ))}
        </select>
      ) : (
        <span class="unit">as text</span>
      )}
    </span>
  )
}
