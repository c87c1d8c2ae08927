import type { ConsentStore } from './store.ts'

const refreshMs = 60_000

/** An answer that took longer says too little about the present time. */
const roundTripMsMax = 1000

/**
 * Returns a clock that all processes on a database share: what has expired in one has expired in all, even if the clocks
 * of their machines differ. While the database does not respond, the last reading stays in use; before the first one, it
 * is the clock of the machine.
 */
export async function openSharedClock(
  { readTime }: Pick<ConsentStore, 'readTime'>,
  machineClock: () => Temporal.Instant,
): Promise<() => Temporal.Instant> {
  if (!readTime) return machineClock
  let reading: { readonly time: number; readonly at: number } | undefined
  let refreshedAt = Number.NEGATIVE_INFINITY
  const refresh = async (): Promise<void> => {
    const start = performance.now()
    refreshedAt = start
    const time = await readTime().catch(() => undefined)
    const end = performance.now()
    if (time && end - start <= roundTripMsMax) {
      reading = { time: time.epochMilliseconds, at: (start + end) / 2 }
    }
  }
  await refresh()
  return () => {
    const now = performance.now()
    if (now - refreshedAt > refreshMs) void refresh()
    if (!reading) return machineClock()
    return Temporal.Instant.fromEpochMilliseconds(Math.round(reading.time + now - reading.at))
  }
}
