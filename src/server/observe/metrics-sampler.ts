import type { MetricsSample, MetricsSource } from '../../contract/index.ts'
import { type MetricsOrigin, readOrigin } from './metrics-origin.ts'
import { computeFigures, type Reading, sampledMetrics } from './metrics-sample.ts'
import { parseMetrics } from './parse-metrics.ts'

export interface SamplerLimits {
  readonly intervalMs: number
  /** How long a sample is kept for clients that connect later. */
  readonly historyMs: number
  /** How long this interval continues without a client: one that reloads its page finds no change. */
  readonly lingerMs: number
  /** Between the samples before the first client, and after the last one. */
  readonly idleIntervalMs: number
}

const samplerLimits: SamplerLimits = {
  intervalMs: 1000,
  historyMs: 10 * 60_000,
  lingerMs: 60_000,
  idleIntervalMs: 10_000,
}

/** The longest history that a client receives at once, in characters: less than it may leave unread. */
const historyLengthMax = 1024 * 1024

type Listener = (samples: readonly string[]) => void

interface KeptSample {
  readonly at: number
  readonly text: string
  readonly rejections: ReadonlyMap<string, number>
}

/** Takes samples for all clients of this process together, and fewer while there are none. */
export function openSampler(
  origins: readonly MetricsOrigin[],
  limits: SamplerLimits = samplerLimits,
) {
  const listeners = new Set<Listener>()
  const kept: KeptSample[] = []
  const readings = new Map<MetricsOrigin, Reading>()
  const hasReader = origins.some(({ reader }) => reader !== undefined)
  let timer: NodeJS.Timeout | undefined
  let isSampling = false
  let isClosed = false
  let startedAt = Number.NEGATIVE_INFINITY
  /** When the last client left. */
  let watchedAt = Number.NEGATIVE_INFINITY

  const read = async (origin: MetricsOrigin) => {
    const { value, sources } = await readOrigin(origin, async (reader) => {
      const lines = parseMetrics(await reader.text(sampledMetrics))
      if (lines.size === 0) throw new Error('its response has no metrics of Holdfast')
      return lines
    })
    const from = readings.get(origin)
    if (!value) readings.delete(origin)
    else readings.set(origin, { at: performance.now(), roles: origin.roles, lines: value })
    const to = readings.get(origin)
    return { sources, intervals: from && to ? [{ from, to }] : [] }
  }
  const sample = async (): Promise<void> => {
    const results = await Promise.all(origins.map(read))
    const intervals = results.flatMap((result) => result.intervals)
    // The first reading of counters gives no rate.
    if (intervals.length === 0 && readings.size > 0) return
    const sources = results.flatMap((result) => result.sources)
    keep(kept, sources, computeFigures(intervals), limits.historyMs)
    const latest = kept.at(-1)
    if (latest) for (const listener of listeners) listener([latest.text])
  }
  const run = async (): Promise<void> => {
    isSampling = true
    startedAt = performance.now()
    await sample()
    isSampling = false
    schedule()
  }
  const schedule = (): void => {
    clearTimeout(timer)
    const isWatched = listeners.size > 0 || performance.now() - watchedAt <= limits.lingerMs
    // Without metrics, samples only say so.
    if (isClosed || isSampling || !(isWatched || hasReader)) return
    const intervalMs = isWatched ? limits.intervalMs : limits.idleIntervalMs
    timer = setTimeout(run, Math.max(0, startedAt + intervalMs - performance.now())).unref()
  }
  schedule()

  return {
    /** Calls the listener with the samples that are kept, then with each new one. Returns a function that ends this. */
    subscribe(listener: Listener): () => void {
      listeners.add(listener)
      const oldest = Date.now() - limits.historyMs
      const recent = kept.filter(({ at }) => at >= oldest).map(({ text }) => text)
      if (recent.length > 0) listener(takeLatest(recent, historyLengthMax))
      schedule()
      return () => {
        listeners.delete(listener)
        watchedAt = performance.now()
      }
    },
    close(): void {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

/** The last texts that together have at most this length. */
function takeLatest(texts: readonly string[], lengthMax: number): readonly string[] {
  let length = 0
  const excess = texts.findLastIndex((text) => {
    length += text.length
    return length > lengthMax
  })
  return texts.slice(excess + 1)
}

/** Adds a sample with the totals of all that are kept. */
function keep(
  kept: KeptSample[],
  sources: readonly MetricsSource[],
  { rejections, ...figures }: ReturnType<typeof computeFigures>,
  historyMs: number,
): void {
  const at = Date.now()
  while (kept[0] && kept[0].at < at - historyMs) kept.shift()
  const counts = new Map(rejections.map(({ reason, total }) => [reason, total]))
  const totals = new Map<string, number>()
  for (const { rejections: earlier } of [...kept, { rejections: counts }]) {
    for (const [reason, count] of earlier) totals.set(reason, (totals.get(reason) ?? 0) + count)
  }
  const rates = new Map(rejections.map(({ reason, rate }) => [reason, rate]))
  const sample: MetricsSample = {
    time: new Date(at).toISOString(),
    sources: [...sources],
    ...figures,
    rejections: [...totals].map(([reason, total]) => ({
      reason,
      rate: rates.get(reason) ?? 0,
      total,
    })),
  }
  kept.push({ at, text: JSON.stringify(sample), rejections: counts })
}
