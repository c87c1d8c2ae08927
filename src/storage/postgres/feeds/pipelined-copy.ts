import { once } from 'node:events'
import type { Writable } from 'node:stream'
import pg from 'pg'
import { type Copy, copyHeader, copyStatement, copyTrailer } from '../loads/copy-encoder.ts'

/** Members of the driver's connection that its types lack. */
interface Connection {
  readonly stream: Writable
  query(text: string): void
  sendCopyFromChunk(bytes: Buffer): void
  endCopyFrom(): void
}

/**
 * Copies on a connection in pipeline mode: rows and further statements are sent without waiting for the server. A failure
 * is passed to `onFailure`, and ends the copy: the server ignores the rows that follow.
 */
export function openPipelinedCopy(
  client: pg.ClientBase,
  table: string,
  onFailure: (error: unknown) => void,
): Copy {
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  let connection: Connection | undefined
  let failure: Error | undefined
  const text = copyStatement(table)
  const query = Object.assign(new pg.Query(text), {
    submit(used: unknown) {
      connection = used as Connection
      connection.query(text)
    },
    // The rows follow the statement in any case.
    handleCopyInResponse() {},
    callback(error: Error | undefined) {
      failure ??= error
      if (error) onFailure(error)
      resolve()
    },
  })
  client.query(query)
  connection?.sendCopyFromChunk(copyHeader)
  return {
    table,
    async write(bytes) {
      if (failure) throw failure
      connection?.sendCopyFromChunk(bytes)
      const stream = connection?.stream
      // A connection that breaks does not drain.
      if (stream?.writableNeedDrain) await Promise.race([ended, once(stream, 'drain')])
      if (failure) throw failure
    },
    async end() {
      connection?.sendCopyFromChunk(copyTrailer)
      connection?.endCopyFrom()
    },
  }
}
