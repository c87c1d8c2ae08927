import type { Static } from 'typebox'
import { epochNanoseconds } from '../date-time.ts'
import { problemsMax } from '../limits.ts'
import { findProblems } from '../problems.ts'
import { record } from '../record.ts'
import type { Problem } from '../rules.ts'
import { Duration, Flag, Timestamp } from '../scalars.ts'
import { isObject } from '../schema.ts'
import { Type } from '../type.ts'

const outagesMax = 100
const explanationLengthMax = 1000

export type Outage = Static<typeof Outage>
export const Outage = record('Outage', {
  required: {
    outageTime: Timestamp,
    duration: Duration,
    explanation: Type.String({ minLength: 1, maxLength: explanationLengthMax }),
  },
  optional: { isPartial: Flag },
})

const OutageList = record('OutageList', {
  required: { outages: Type.Array(Outage, { maxItems: outagesMax }) },
})

/** An outage with its times in nanoseconds since 1970. The end is exclusive. */
export interface PlannedOutage {
  readonly outage: Outage
  readonly start: bigint
  readonly end: bigint
}

/** Reads a list of planned outages, which must have the form of `data` in the response. Ordered by start. */
export function readOutages(
  list: unknown,
): { readonly outages: readonly PlannedOutage[] } | { readonly faults: readonly Problem[] } {
  const faults = [...findProblems(OutageList, list, problemsMax), ...findDurationFaults(list)]
  if (faults.length > 0) return { faults: faults.slice(0, problemsMax) }
  const outages = (list as Static<typeof OutageList>).outages.map((outage) => ({
    outage,
    start: epochNanoseconds(outage.outageTime),
    end: findEnd(outage) as bigint,
  }))
  return { outages: outages.sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0)) }
}

/** Of outages that are valid otherwise. */
function findDurationFaults(list: unknown): Problem[] {
  if (!isObject(list) || !Array.isArray(list['outages'])) return []
  return list['outages'].slice(0, outagesMax).flatMap((outage: unknown, index) =>
    findProblems(Outage, outage, 1).length > 0 || findEnd(outage as Outage) !== undefined
      ? []
      : [
          {
            path: `outages[${index}].duration`,
            reason: 'must be longer than zero and at most one year',
          },
        ],
  )
}

/** Undefined if the duration is zero or too long. */
function findEnd({ outageTime, duration }: Outage): bigint | undefined {
  const start = Temporal.Instant.from(outageTime).toZonedDateTimeISO('UTC')
  try {
    const { epochNanoseconds: end } = start.add(duration)
    const isInRange = end > start.epochNanoseconds && end <= start.add('P1Y').epochNanoseconds
    return isInRange ? end : undefined
  } catch {
    // After the last date of Temporal.
    return undefined
  }
}
