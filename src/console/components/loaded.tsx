import type { ComponentChildren } from 'preact'
import type { Resource } from '../resource.ts'
import { Problem } from './problem.tsx'
import { Skeleton } from './skeleton.tsx'
import { Ago } from './time.tsx'

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
