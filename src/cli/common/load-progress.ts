import type { Progress } from '../../intake/load.ts'
import type { Terminal } from '../../server/terminal.ts'
import { formatCount } from './format-count.ts'
import { openProgressLine } from './progress-line.ts'

/** The progress, the rate and the remaining time. */
export function openLoadProgress(terminal: Terminal, bytesTotal: number | undefined) {
  const started = performance.now()
  const line = openProgressLine(terminal)

  const format = ({ lines, bytes }: Progress): string => {
    const seconds = (performance.now() - started) / 1000
    const parts = [
      `${formatCount(lines)} lines`,
      `${formatCount(Math.round(lines / seconds))} per second`,
    ]
    if (bytesTotal) {
      const share = Math.min(1, bytes / bytesTotal)
      parts.unshift(`${Math.floor(share * 100)} %`)
      if (share > 0) parts.push(`${formatDuration((seconds * (1 - share)) / share)} left`)
    }
    return parts.join(', ')
  }
  return { show: (progress: Progress) => line.show(() => format(progress)), clear: line.clear }
}

function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds)
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`
}
