import { once } from 'node:events'
import type pg from 'pg'
import { CopyQuery } from './pg-internals.ts'

export interface Copy {
  /** When it resolves, more may be written. */
  write(chunk: Buffer): Promise<void>
  /**
   * Statements that are sent after it resolves see the rows. On a connection in pipeline mode, only they show whether the
   * copy has failed.
   */
  end(): Promise<void>
}

/** The type codes of the CopyData and CopyDone messages. */
const copyData = 0x64
const copyDone = 0x63

/**
 * Copies rows into a table. They are sent without waiting for the server: if the copy fails, the server ignores those that
 * follow. In pipeline mode, the statements behind it do not wait either.
 */
export function openCopy(
  client: pg.ClientBase,
  statement: string,
  onFailure: (error: Error) => void = () => {},
): Copy {
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>()
  // `write` and `end` report the failure.
  ended.catch(() => {})
  let failure: Error | undefined
  const query = new CopyQuery(statement, (error) => {
    if (!error) return resolve()
    failure ??= error
    onFailure(error)
    reject(error)
  })
  client.query(query)
  const send = (code: number, chunk: Buffer): void => {
    const head = Buffer.alloc(5, code)
    head.writeUInt32BE(4 + chunk.length, 1)
    query.stream?.write(Buffer.concat([head, chunk]))
  }
  return {
    async write(chunk) {
      if (failure) throw failure
      send(copyData, chunk)
      const { stream } = query
      // A connection that breaks does not drain.
      if (stream?.writableNeedDrain) await Promise.race([ended, once(stream, 'drain')])
      if (failure) throw failure
    },
    async end() {
      send(copyDone, Buffer.alloc(0))
      if (!(client as pg.Client).pipeline) await ended
    },
  }
}
