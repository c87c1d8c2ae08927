import { useEffect, useRef } from 'preact/hooks'
import { Problem } from '../../../components/problem.tsx'
import type { Editor } from './editor.ts'

/** Why the last command failed. It gets the focus, because the button may be far below it. */
export function FailedCommand({ editor }: { readonly editor: Editor }) {
  const ref = useRef<HTMLDivElement>(null)
  const error = editor.error.value
  useEffect(() => {
    if (error && error.status !== 401) ref.current?.focus()
  }, [error])
  // The shell asks to sign in again.
  if (!error || error.status === 401) return null
  return (
    <div ref={ref} tabIndex={-1}>
      <Problem error={error} />
      <p class="muted">What you entered is kept.</p>
    </div>
  )
}
