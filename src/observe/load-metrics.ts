import { randomUUID } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { loadMetrics, type MetricDefinition } from './metric-definitions.ts'

/** How often a running load writes how far it is. */
const writeEveryMs = 1000

export interface LoadState {
  readonly lines: number
  readonly bytes: number
  readonly errors: number
}

export interface LoadMetrics {
  /** Written now and then, however often it is told. */
  progress(state: LoadState): void
  finish(state: LoadState, isSuccess: boolean): void
}

type Values = Readonly<Record<keyof typeof loadMetrics, number>>

/**
 * How far a load is, as a file that the textfile collector of Prometheus' node exporter reads. A load is often over
 * before anybody could scrape it; what became of it stays in the file.
 */
export function openLoadMetrics(file: string, sizeBytes: number | undefined): LoadMetrics {
  const started = Date.now() / 1000
  let writtenAt = Number.NEGATIVE_INFINITY
  const write = ({ lines, bytes, errors }: LoadState, isRunning: boolean, isSuccess: boolean) => {
    writtenAt = performance.now()
    const text = textOf({
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
      if (performance.now() - writtenAt >= writeEveryMs) ifPossible(() => write(state, true, false))
    },
    finish: (state, isSuccess) => ifPossible(() => write(state, false, isSuccess)),
  }
}

/** The node exporter, which runs as another user, has to read the file. */
const fileMode = 0o644

/**
 * A reader sees the old content or the new, never a part. The temporary file is always a new one, under a name that cannot be
 * guessed: in a folder that others may write to, nobody can put a link or a file in its place.
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

/** A load is worth more than what is told of it. */
function ifPossible(write: () => void): void {
  try {
    write()
  } catch {
    // The file is as old as it says.
  }
}

/** The text format of Prometheus; no value here has a label. */
function textOf(values: Values): string {
  return Object.entries<MetricDefinition>(loadMetrics)
    .map(([name, { type, help }]) => {
      const value = values[name as keyof Values]
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}\n`
    })
    .join('')
}
