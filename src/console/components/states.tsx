import type { ComponentChildren } from 'preact'
import type { ApiError } from '../api.ts'
import { explainSentence } from '../explain-problem.ts'
import type { Resource } from '../resource.ts'
import { describeStatus } from '../statuses.ts'
import { SecondaryButton } from './button.tsx'
import { Identifier } from './identifier.tsx'
import type { Titled } from './page-heading.tsx'
import { Ago } from './time.tsx'

const labels = { good: 'Success', warn: 'Warning', bad: 'Error', info: 'Note' } as const

/** A message in the page. Its kind is also said in words. */
export function Notice({
  kind = 'info',
  title,
  children,
}: Titled & { readonly kind?: keyof typeof labels }) {
  return (
    <div class={`notice ${kind}`} role={kind === 'bad' || kind === 'warn' ? 'alert' : 'status'}>
      <p class="notice-title">
        <span class="visually-hidden">{labels[kind]}: </span>
        {title}
      </p>
      {children}
    </div>
  )
}

/** What happened, what to do, and the id to find it in the log. */
export function Problem({
  error,
  onRetry,
}: {
  readonly error: ApiError
  readonly onRetry?: () => void
}) {
  const fields = explainSentence(error.message) ?? []
  const [first = error.message] = fields
  const title = fields.length > 1 ? `${fields.length} fields were not accepted` : first
  return (
    <Notice kind="bad" title={title}>
      {fields.length > 1 ? (
        <ul>
          {fields.map((field) => (
            <li key={field}>{field}</li>
          ))}
        </ul>
      ) : (
        <p>{advise(error.status)}</p>
      )}
      {error.status > 0 && (
        <p class="muted">
          {describeStatus(error.status)} <code>{error.status}</code>
          {title !== error.message && (
            <>
              : <code>{error.message}</code>
            </>
          )}
        </p>
      )}
      {error.interactionId !== undefined && (
        <p class="muted">
          Interaction ID <Identifier value={error.interactionId} />
        </p>
      )}
      {onRetry && <SecondaryButton onClick={onRetry}>Try again</SecondaryButton>}
    </Notice>
  )
}

function advise(status: number): string {
  if (status === 0) return 'Check that the platform runs and that you are connected to it.'
  if (status === 401) return 'Sign in again.'
  if (status === 403)
    return 'This session does not have the scope for this. Ask for the scope, or sign in with an account that has it.'
  if (status === 404) return 'It may have been removed. Go back to the list.'
  if (status === 412 || status === 409) return 'It was changed meanwhile. Read it again first.'
  if (status === 429) return 'Wait a minute, and try again.'
  if (status >= 500) return 'Try again. If it persists, look for the interaction ID in the log.'
  return 'Correct the input, and try again.'
}

/** An empty list: what would be in it, and the command or button that fills it. */
export function Empty({ title, children }: Titled) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  )
}

/** Shown while data is loaded. The stylesheet delays it, so that a fast response does not flicker. */
export function Skeleton({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="visually-hidden">Loading</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class="skeleton-line" aria-hidden="true" />
      ))}
    </div>
  )
}

/** The states of a resource: loading, failed, ready, and ready but not current any more. */
export function Loaded<Value>({
  resource,
  children,
}: {
  readonly resource: Resource<Value>
  readonly children: (value: Value) => ComponentChildren
}) {
  const { value, error, readAt, reload } = resource
  if (value === undefined) {
    return error ? <Problem error={error} onRetry={reload} /> : <Skeleton />
  }
  return (
    <>
      {error && (
        <>
          <Problem error={error} onRetry={reload} />
          {readAt !== undefined && (
            <p class="muted">
              What follows was read <Ago time={readAt} />.
            </p>
          )}
        </>
      )}
      {children(value)}
    </>
  )
}
