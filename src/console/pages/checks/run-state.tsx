import type { CheckProgress, ListedCheck } from '../../../contract/index.ts'
import { Badge } from '../../components/badge.tsx'

/** The state of a run in a word: a completed run has passed or failed. */
export function RunState({ run: { state, progress } }: { readonly run: ListedCheck }) {
  if (state === 'running') return <Badge>Running</Badge>
  if (state === 'interrupted') return <Badge kind="warn">Interrupted</Badge>
  if (state === 'error') return <Badge kind="bad">Not run</Badge>
  return progress.failed > 0 ? <Badge kind="bad">Failed</Badge> : <Badge kind="good">Passed</Badge>
}

/** How often a run in progress is read. */
export const runningMs = 1000

export function isRunning({ state }: ListedCheck): boolean {
  return state === 'running'
}

type Counts = Pick<CheckProgress, 'passed' | 'failed' | 'skipped'>

/** The number of results of each kind that there are. */
export function formatCounts({ passed, failed, skipped }: Counts): string {
  const parts = Object.entries({ failed, passed, skipped }).filter(([, count]) => count > 0)
  return parts.map(([word, count]) => `${count} ${word}`).join(', ') || 'no results'
}

export function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)} min ${whole % 60} s`
}

const profileNames = { smoke: 'Smoke', full: 'Full' } as const

/** The checks that a run has, such as "Smoke check of paging". */
export function nameRun({ profile, groups }: Pick<ListedCheck, 'profile' | 'groups'>): string {
  return `${profileNames[profile]} check${groups ? ` of ${groups.join(', ')}` : ''}`
}
