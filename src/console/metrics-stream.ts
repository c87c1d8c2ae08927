import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import type { MetricsSample } from '../contract/index.ts'
import { streamMetrics } from '../contract/operations/monitoring.ts'
import { attendanceHeaders } from './attendance.ts'
import { endSession, signIns } from './session.ts'

/** How long samples are shown, as long as the server stores them. */
const shownMs = 10 * 60_000
/** How long to wait before a lost connection is tried again. */
const retryMs = 2000

const isTabVisible = signal(!document.hidden)
document.addEventListener('visibilitychange', () => {
  isTabVisible.value = !document.hidden
})

export interface MetricsStream {
  /** The oldest first. */
  readonly samples: readonly MetricsSample[]
  readonly state: 'connecting' | 'live' | 'lost'
  /** Why the server did not accept the connection. */
  readonly problem?: string | undefined
  /** When the last sample arrived, in milliseconds since 1970. */
  readonly updatedAt?: number
}

/**
 * The samples of the servers, also those before the view was opened. A lost connection is opened again. A hidden tab has
 * none: a browser opens only six connections to a server with HTTP/1.1, for all tabs.
 */
export function useMetricsStream(): MetricsStream {
  const [stream, setStream] = useState<MetricsStream>({ samples: [], state: 'connecting' })
  const signedIn = signIns.value
  const isVisible = isTabVisible.value
  useEffect(() => {
    if (!isVisible) return
    const controller = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const run = async (): Promise<void> => {
      const problem = await readStream(controller.signal, (samples) =>
        setStream((old) => ({
          samples: mergeSamples(old.samples, samples),
          state: 'live',
          updatedAt: Date.now(),
        })),
      ).catch(() => undefined)
      if (controller.signal.aborted) return
      setStream((old) => ({ ...old, state: 'lost', problem }))
      timer = setTimeout(run, retryMs)
    }
    run()
    return () => {
      controller.abort()
      clearTimeout(timer)
    }
  }, [signedIn, isVisible])
  return stream
}

/** Reads until the connection ends. Returns why the server did not accept it. */
async function readStream(
  signal: AbortSignal,
  onSamples: (samples: readonly MetricsSample[]) => void,
): Promise<string | undefined> {
  const response = await fetch(streamMetrics.path, { signal, headers: attendanceHeaders() })
  if (response.status === 401) endSession()
  if (!response.ok || !response.body) return `The server responded with status ${response.status}.`
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let pending = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return undefined
    const blocks = (pending + value).split('\n\n')
    pending = blocks.pop() ?? ''
    const events = blocks.map(parseEvent)
    const samples = events.filter(({ event }) => event === 'sample').map(({ data }) => data)
    if (samples.length > 0) onSamples(samples as MetricsSample[])
    const end = events.find(({ event }) => event === 'end')?.data as { reason?: string } | undefined
    if (end?.reason === 'unauthorized') endSession()
  }
}

function parseEvent(block: string): { readonly event: string; readonly data: unknown } {
  const [, event = '', data = 'null'] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
  return { event, data: JSON.parse(data) }
}

/** A connection that is opened again begins with samples that were shown before. */
function mergeSamples(
  old: readonly MetricsSample[],
  added: readonly MetricsSample[],
): readonly MetricsSample[] {
  const first = added[0]?.time ?? ''
  const merged = [...old.filter(({ time }) => time < first), ...added]
  const oldest = Date.parse(merged.at(-1)?.time ?? '') - shownMs
  return merged.filter(({ time }) => Date.parse(time) >= oldest)
}
