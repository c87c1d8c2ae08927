import type { Socket } from 'node:net'
import type pg from 'pg'
import { cancelStatement } from './pg-internals.ts'

/** Closes a connection at a deadline and cancels the statement that it runs. Returns a function that clears the deadline. */
export function abandonAt(client: pg.ClientBase, deadline: number): () => void {
  const remainingMs = Math.max(0, deadline - performance.now())
  const timer = setTimeout(abandon, remainingMs, client, 'the database did not answer in time')
  return () => clearTimeout(timer)
}

interface AbortOptions {
  readonly signal: AbortSignal | undefined
  /** Whether the statement is cancelled immediately. */
  isCancelled(): boolean
  /** After how many milliseconds the connection is closed. */
  closeMs(): number
}

/** Ends the statement of a connection when a signal aborts. Returns a function that leaves the connection as it is. */
export function abandonOnAbort(
  client: pg.ClientBase,
  { signal, isCancelled, closeMs }: AbortOptions,
): () => void {
  const reason = 'the transaction was aborted'
  let timer: NodeJS.Timeout | undefined
  const onAbort = (): void => {
    if (isCancelled()) cancelStatement(client)
    timer = setTimeout(abandon, closeMs(), client, reason)
  }
  signal?.addEventListener('abort', onAbort)
  // It may have aborted while the connection was opened.
  if (signal?.aborted) onAbort()
  return () => {
    signal?.removeEventListener('abort', onAbort)
    clearTimeout(timer)
  }
}

/** Closes a connection and cancels the statement that it runs. The driver reports this like any broken connection. */
export function abandon(client: pg.ClientBase, reason: string): void {
  cancelStatement(client)
  streamOf(client).destroy(new Error(reason))
}

export function streamOf(client: pg.ClientBase): Socket {
  return (client as pg.Client).connection.stream as Socket
}
