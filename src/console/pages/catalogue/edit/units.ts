import { scalars } from '../../../../contract/scalars.ts'

/** How people enter durations. */

export const durationUnits = [
  ['D', 'days'],
  ['W', 'weeks'],
  ['M', 'months'],
  ['Y', 'years'],
] as const

export type DurationUnit = (typeof durationUnits)[number][0]

export interface Period {
  readonly count: string
  readonly unit: DurationUnit
}

/** `P1M` as 1 and months. Undefined for other durations, such as those of several units: they are edited as text. */
export function toPeriod(stored: string): Period | undefined {
  const [, count, unit] = /^P(.*)([DWMY])$/s.exec(stored) ?? []
  if (count === undefined) return undefined
  // A count that is not a number stays in its control, so that it is reported and not lost.
  if (!/^\d+$/.test(count) && scalars.duration.test(stored)) return undefined
  return { count, unit: unit as DurationUnit }
}

/** A count that begins like a duration is one: `P1Y6M`. */
export function fromPeriod({ count, unit }: Period): string | undefined {
  const entered = count.trim()
  if (/^p/i.test(entered)) return entered.toUpperCase()
  return entered === '' ? undefined : `P${entered}${unit}`
}
