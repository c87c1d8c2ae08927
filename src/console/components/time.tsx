import { useEffect, useState } from 'preact/hooks'
import { timeZone } from '../session.ts'

/** `Australia/Sydney` as "Sydney". */
export function nameZone(): string {
  return timeZone.value.split('/').at(-1)?.replaceAll('_', ' ') ?? ''
}

/** To make one takes milliseconds. */
const formats = new Map<string, Intl.DateTimeFormat>()

function format(value: string | number, style: Intl.DateTimeFormatOptions): string {
  const date = new Date(value)
  if (Number.isNaN(date.getTime())) return String(value)
  const options = { timeZone: timeZone.value, hourCycle: 'h23', ...style } as const
  const key = JSON.stringify(options)
  const known = formats.get(key) ?? new Intl.DateTimeFormat('en-AU', options)
  formats.set(key, known)
  return known.format(date)
}

/** In the time zone of the data provider, whose name follows the time. */
export function formatTime(value: string | number): string {
  return `${format(value, { dateStyle: 'medium', timeStyle: 'medium' })} (${nameZone()})`
}

/** A time in a table whose title names the zone. */
export function Moment({ value }: { readonly value: string }) {
  if (Number.isNaN(Date.parse(value))) return <span>{value}</span>
  return (
    <time dateTime={value} title={formatTime(value)}>
      {format(value, {
        ...{ day: 'numeric', month: 'short', year: 'numeric' },
        ...{ hour: '2-digit', minute: '2-digit' },
      })}
    </time>
  )
}

/** A date such as 2026-01-31, which has no zone. */
export function formatDate(date: string): string {
  return format(date, { dateStyle: 'medium', timeZone: 'UTC' })
}

/** A month such as 2026-01. */
export function formatMonth(month: string): string {
  return format(`${month}-01`, { month: 'short', year: 'numeric', timeZone: 'UTC' })
}

/** The day, in the time zone of the data provider. The short form has no year. */
export function formatDay(value: string | number, length?: 'short'): string {
  if (length === undefined) return format(value, { dateStyle: 'medium' })
  return format(value, { day: 'numeric', month: 'short' })
}

/** The day and the time, without seconds. */
export function formatHour(value: string | number, length?: 'short'): string {
  return format(value, {
    ...{ day: 'numeric', month: 'short' },
    ...(length === undefined && { year: 'numeric' }),
    ...{ hour: '2-digit', minute: '2-digit' },
  })
}

/** The time of day, in the time zone of the data provider, with seconds if it has any. */
export function formatTimeOfDay(value: string | number): string {
  return format(value, { timeStyle: new Date(value).getTime() % 60_000 === 0 ? 'short' : 'medium' })
}

/** A time of the server with its zone. `value` is RFC 3339. */
export function Time({ value }: { readonly value: string }) {
  if (Number.isNaN(Date.parse(value))) return <span>{value}</span>
  return (
    <time dateTime={value} title={value}>
      {formatTime(value)}
    </time>
  )
}

const units = [
  ['day', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const
/** An older time is shown as a day. */
const relativeMaxMs = 7 * 86_400_000

/** How long ago a time was, kept current, and the day of an older one. `time` is RFC 3339 or milliseconds since 1970. */
export function Ago({ time }: { readonly time: string | number }) {
  const [now, setNow] = useState(Date.now)
  const value = new Date(time).getTime()
  const elapsed = now - value
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), elapsed < 60_000 ? 1000 : 30_000)
    return () => clearInterval(timer)
  }, [elapsed < 60_000])
  if (Number.isNaN(value)) return <span>{String(time)}</span>
  return (
    <time dateTime={new Date(value).toISOString()} title={formatTime(value)}>
      {elapsed > relativeMaxMs ? formatDay(value) : formatElapsed(Math.max(0, elapsed))}
    </time>
  )
}

function formatElapsed(elapsed: number): string {
  if (elapsed < 2000) return 'just now'
  const [unit, ms] = units.find(([, size]) => elapsed >= size) ?? units[3]
  const count = Math.floor(elapsed / ms)
  return `${count} ${unit === 'day' && count !== 1 ? 'days' : unit} ago`
}
