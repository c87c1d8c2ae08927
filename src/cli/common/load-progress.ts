import type { Progress } from '../../load/load.ts'
import type { Terminal } from '../../server/terminal.ts'
import { formatCount } from './format-count.ts'

/** How often the status line of a terminal is updated. */
const updateMs = 200

/** How often a line is written without a terminal. */
const logIntervalMs = 30_000

export interface ProgressLine {
  readonly show: (progress: Progress) => void
  readonly clear: () => void
}

/** The progress, the rate and the remaining time: a status line in a terminal, otherwise a line every 30 seconds. */
export function openLoadProgress(terminal: Terminal, bytesTotal: number | undefined): ProgressLine {
  const { isInteractive } = terminal
  const started = performance.now()
  let shownAt = isInteractive ? 0 : started
  let isShown = false

  return {
    show({ lines, bytes }) {
      const now = performance.now()
      if (now - shownAt < (isInteractive ? updateMs : logIntervalMs)) return
      shownAt = now
      isShown = isInteractive
      const seconds = (now - started) / 1000
      const parts = [
        `${formatCount(lines)} lines`,
        `${formatCount(Math.round(lines / seconds))} per second`,
      ]
      if (bytesTotal) {
        const share = Math.min(1, bytes / bytesTotal)
        parts.unshift(`${Math.floor(share * 100)} %`)
        if (share > 0) parts.push(`${formatDuration((seconds * (1 - share)) / share)} left`)
      }
      if (isInteractive) terminal.status(parts.join(', '))
      else terminal.error(`${parts.join(', ')}\n`)
    },
    clear() {
      if (isShown) terminal.status('')
      isShown = false
    },
  }
}

function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds)
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`
}
