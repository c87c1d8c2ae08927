import type { CheckOptions, ListedCheck } from '../../../contract/index.ts'
import { createCheck } from '../../../contract/operations/checks.ts'
import { type ApiError, read } from '../../api.ts'
import { Button, SecondaryButton } from '../../components/button.tsx'
import { Notice, Problem } from '../../components/states.tsx'
import { hasScope } from '../../session.ts'
import { useAction } from '../../use-action.ts'

type Profile = NonNullable<CheckOptions['profile']>

/** The buttons that start a run. While one runs, no other can be started. */
export function StartCheck({
  isRunning,
  onStart,
}: {
  readonly isRunning: boolean
  readonly onStart: (run: ListedCheck) => void
}) {
  const { isBusy, error, run } = useAction()
  if (!hasScope('operations.write')) {
    return (
      <p class="muted">
        To run a check, sign in as an API client with the scope <code>operations.write</code>.
      </p>
    )
  }
  // Not disabled: a button that has the focus would lose it.
  const isOff = isBusy || isRunning
  const start = (profile: Profile) => {
    if (isOff) return
    run(async () => {
      onStart(await read(createCheck, { body: { profile } }))
    })
  }
  return (
    <>
      <p class="buttons check-start">
        <Button aria-disabled={isOff} onClick={() => start('smoke')}>
          Run smoke check
        </Button>
        <SecondaryButton aria-disabled={isOff} onClick={() => start('full')}>
          Run full check
        </SecondaryButton>
      </p>
      {error && <StartError error={error} />}
    </>
  )
}

function StartError({ error }: { readonly error: ApiError }) {
  if (error.status === 422) {
    return (
      <Notice kind="bad" title={error.message}>
        <p>
          The platform needs its settings for the provider, one or two test customers in{' '}
          <code>HOLDFAST_CHECK_CUSTOMERS</code>, and a signing key. Change this, and restart the
          platform.
        </p>
      </Notice>
    )
  }
  if (error.status === 409) {
    return (
      <Notice kind="warn" title={error.message}>
        <p>Only one check can run at a time. Its progress is shown on this page.</p>
      </Notice>
    )
  }
  return <Problem error={error} />
}
