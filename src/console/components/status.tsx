import { describeStatus } from '../statuses.ts'

/** An HTTP status in words, with its number beside it. */
export function Status({ status }: { readonly status: number }) {
  return (
    <>
      {describeStatus(status)} <code class="muted">{status}</code>
    </>
  )
}
