import type { ApiError } from '../api.ts'
import { Identifier } from './identifier.tsx'
import { Notice } from './notice.tsx'

/** What happened, what to do, and the id to find it in the log. */
export function Problem({
  error,
  onRetry,
}: {
  readonly error: ApiError
  readonly onRetry?: () => void
}) {
  return (
    <Notice kind="bad" title={error.message}>
      <p>{advise(error.status)}</p>
      {error.interactionId !== undefined && (
        <p class="muted">
          Interaction ID <Identifier value={error.interactionId} />
        </p>
      )}
      {onRetry && (
        <button type="button" class="secondary" onClick={onRetry}>
          Try again
        </button>
      )}
    </Notice>
  )
}

function advise(status: number): string {
  if (status === 0) return 'Check that the platform runs and that you are connected to it.'
  if (status === 401) return 'Sign in again.'
  if (status === 403) return 'Sign in as an API client that has the scope for this.'
  if (status === 404) return 'It may have been removed. Go back to the list.'
  if (status === 412 || status === 409) return 'It was changed meanwhile. Read it again first.'
  if (status === 429) return 'Wait a minute, and try again.'
  if (status >= 500) return 'Try again. If it persists, look for the interaction ID in the log.'
  return 'Correct the input, and try again.'
}
