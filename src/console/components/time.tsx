import { useEffect, useState } from 'preact/hooks'

const format = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'long',
})

export function formatTime(value: string): string {
  return format.format(new Date(value))
}

/** A time of the server in the zone of the browser, with the zone. `value` is RFC 3339. */
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
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' })

/** How long ago a time was, kept current. `time` is RFC 3339 or milliseconds since 1970. */
export function Ago({ time }: { readonly time: string | number }) {
  const [now, setNow] = useState(Date.now)
  const value = new Date(time).getTime()
  const elapsed = now - value
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), elapsed < 60_000 ? 1000 : 30_000)
    return () => clearInterval(timer)
  }, [elapsed < 60_000])
  if (Number.isNaN(value)) return <span>{String(time)}</span>
  return <time dateTime={new Date(value).toISOString()}>{formatElapsed(Math.max(0, elapsed))}</time>
}

function formatElapsed(elapsed: number): string {
  if (elapsed < 2000) return 'just now'
  const [unit, ms] = units.find(([, size]) => elapsed >= size) ?? units[3]
  return relative.format(-Math.floor(elapsed / ms), unit)
}
