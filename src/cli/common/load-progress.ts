import type { Progress } from '../../load/load.ts'
import type { Terminal } from '../../server/terminal.ts'
import { formatCount } from './format-count.ts'

const updateMs = 200

export interface ProgressLine {
  readonly show: (progress: Progress) => void
  readonly clear: () => void
}

/** A status line with the progress, the rate and the remaining time. Shown only in a terminal. */
export function openLoadProgress(terminal: Terminal, bytesTotal: number | undefined): ProgressLine {
  if (!terminal.isInteractive) return { show: () => {}, clear: () => {} }
  const started = performance.now()
  let shownAt = 0
  let isShown = false

  return {
    show({ lines, bytes }) {
      const now = performance.now()
      if (now - shownAt < updateMs) return
      shownAt = now
      isShown = true
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
      terminal.status(parts.join(', '))
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
