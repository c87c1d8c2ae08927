import { randomUUID } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { loadMetrics, type MetricDefinition } from './metric-definitions.ts'
import { formatMetrics } from './registry.ts'

/** How often a running load updates the file. */
const writeIntervalMs = 1000

interface LoadState {
  readonly lines: number
  readonly bytes: number
  readonly errors: number
}

export interface LoadMetrics {
  /** May be called often: the file is updated at most once per interval. */
  progress(state: LoadState): void
  finish(state: LoadState, isSuccess: boolean): void
}

type Values = Readonly<Record<keyof typeof loadMetrics, number>>

/**
 * Writes the progress and the result of a load to a file for the textfile collector of the Prometheus node exporter: a load
 * is often over before it could be scraped.
 */
export function openLoadMetrics(file: string, sizeBytes: number | undefined): LoadMetrics {
  const started = Date.now() / 1000
  let writtenAt = Number.NEGATIVE_INFINITY
  const write = ({ lines, bytes, errors }: LoadState, isRunning: boolean, isSuccess: boolean) => {
    writtenAt = performance.now()
    const text = formatLoadMetrics({
      holdfast_load_lines: lines,
      holdfast_load_bytes: bytes,
      holdfast_load_size_bytes: sizeBytes ?? 0,
      holdfast_load_errors: errors,
      holdfast_load_running: Number(isRunning),
      holdfast_load_success: Number(isSuccess),
      holdfast_load_start_time_seconds: started,
      holdfast_load_update_time_seconds: Date.now() / 1000,
    })
    replaceFile(file, text)
  }
  write({ lines: 0, bytes: 0, errors: 0 }, true, false)
  return {
    progress(state) {
      if (performance.now() - writtenAt >= writeIntervalMs)
        ignoreErrors(() => write(state, true, false))
    },
    finish: (state, isSuccess) => ignoreErrors(() => write(state, false, isSuccess)),
  }
}

/** The node exporter runs as another user and must be able to read the file. */
const fileMode = 0o644

/**
 * Replaces the file atomically. The temporary file is always created, under an unpredictable name: in a folder that is writable
 * by other users, a symbolic link or a file prepared by one of them is never followed or reused.
 */
function replaceFile(file: string, text: string): void {
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: fileMode })
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** A load does not fail because its metrics cannot be written. The update time in the file shows that it is outdated. */
function ignoreErrors(write: () => void): void {
  try {
    write()
  } catch {}
}

function formatLoadMetrics(values: Values): string {
  const metrics = Object.entries<MetricDefinition>(loadMetrics).map(([name, definition]) => ({
    name,
    ...definition,
    samples: { [name]: values[name as keyof Values] },
  }))
  return formatMetrics([metrics])
}
