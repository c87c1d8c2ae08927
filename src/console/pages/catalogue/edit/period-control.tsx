import { useState } from 'preact/hooks'
import { scalars } from '../../../../contract/scalars.ts'
import type { ControlAttributes } from './field-props.ts'
import { type DurationUnit, durationUnits, fromPeriod, toPeriod } from './units.ts'

/** A duration as a number and a unit. One that has another form is edited as text, until the control is left. */
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
  const [isText, setText] = useState(false)
  const period = value === '' ? { count: '', unit: chosen } : isText ? undefined : toPeriod(value)
  const change = (count: string, unit: DurationUnit) => onChange(fromPeriod({ count, unit }))
  return (
    <span class="with-unit">
      <input
        {...control}
        value={period?.count ?? value}
        onInput={({ currentTarget: { value: text } }) => {
          setText(!period || /^\s*p/i.test(text))
          if (!period) return onChange(text || undefined)
          // An empty control keeps the unit.
          setChosen(period.unit)
          change(text, period.unit)
        }}
        onBlur={() => {
          setText(false)
          const upper = value.toUpperCase()
          if (upper !== value && scalars.duration.test(upper)) onChange(upper)
          control.onBlur()
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
