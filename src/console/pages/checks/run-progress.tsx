import { useId } from 'preact/hooks'
import type { ListedCheck } from '../../../contract/index.ts'
import { formatCounts, formatSeconds } from './run-state.tsx'

/** How far a run is, and the check that is being made. */
export function RunProgress({ run }: { readonly run: ListedCheck }) {
  const id = useId()
  const { done, total, current } = run.progress
  return (
    <div class="run-progress">
      <p id={id}>
        {total === 0 ? 'Starting' : `${done} of ${total} checks`}
        <span class="muted">
          {' '}
          · {formatCounts(run.progress)} · {formatSeconds(run.seconds)}
        </span>
      </p>
      <progress aria-labelledby={id} max={Math.max(1, total)} value={done} />
      <p class="muted current">{current ?? 'Waiting for the first answer of the provider.'}</p>
    </div>
  )
}
