/** Times of day in a time zone, for controls that know no zones. In browsers without Temporal, too. */

/** To make one takes milliseconds. */
const formats = new Map<string, Intl.DateTimeFormat>()

function findFormat(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
  })
  formats.set(zone, format)
  return format
}

/** The offset of the zone at a time, in milliseconds. */
function findOffset(zone: string, time: number): number {
  const parts = findFormat(zone).formatToParts(time)
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  const local = Date.UTC(
    ...([read('year'), read('month') - 1, read('day')] as const),
    ...([read('hour'), read('minute'), read('second')] as const),
  )
  return local - Math.floor(time / 1000) * 1000
}

/** A time such as 2026-01-01T00:00:00Z as 2026-01-01T11:00:00 in the zone. */
export function toLocal(zone: string, time: number): string {
  return new Date(time + findOffset(zone, time)).toISOString().replace(/(\.000)?Z$/, '')
}

/** The time of the zone, with the offset that the zone has then. A time that daylight saving skips is moved by an hour. */
export function fromLocal(zone: string, local: string): string {
  const asUtc = Date.parse(`${local}Z`)
  if (Number.isNaN(asUtc)) return local
  const guess = asUtc - findOffset(zone, asUtc)
  const offset = findOffset(zone, guess)
  const text = toLocal(zone, asUtc - offset)
  return text + formatOffset(findOffset(zone, asUtc - offset))
}

function formatOffset(ms: number): string {
  if (ms === 0) return 'Z'
  const minutes = Math.abs(ms) / 60_000
  const pad = (count: number) => String(Math.trunc(count)).padStart(2, '0')
  return `${ms < 0 ? '-' : '+'}${pad(minutes / 60)}:${pad(minutes % 60)}`
}
