import { readFile } from 'node:fs/promises'
import type pg from 'pg'
import { DatabaseError } from '../../database.ts'
import { streamOf } from './abandon.ts'

/** The pause after a failed attempt to connect. It doubles while attempts fail. */
const pauseMinMs = 100
const pauseMaxMs = 1000

type Connected = (error?: Error | null) => void

/**
 * A client class for one pool. It reads the password before it connects, so that the server never waits for a password.
 * A failed attempt leaves no open socket. While attempts fail, the next one is delayed and calls fail immediately.
 */
export function pooledClient(
  Client: typeof pg.Client,
  passwordFile: string | undefined,
): typeof pg.Client {
  const attempts = openAttempts()

  return class PooledClient extends Client {
    /**
     * Only the pool calls it, with a callback. It calls back in the same turn as the driver: an error event may follow
     * immediately and needs a listener.
     */
    override connect(): Promise<pg.Client>
    override connect(callback: Connected): void
    override async connect(callback: Connected = () => {}): Promise<pg.Client> {
      const finish = (error?: Error | null) => {
        if (error) this.connection.stream.destroy()
        attempts.end(error)
        callback(error)
      }
      const pausedError = attempts.begin()
      if (pausedError) {
        process.nextTick(callback, pausedError)
        return this
      }
      try {
        if (passwordFile !== undefined) this.password = await readPassword(passwordFile)
        super.connect(finish)
      } catch (error) {
        finish(error as Error)
      }
      return this
    }

    /** The process may exit before the server has closed the connection: the server may not respond. */
    override async end(callback?: (error: Error) => void): Promise<void> {
      const ended = callback ? super.end(callback) : super.end()
      streamOf(this).unref()
      await ended
    }
  }
}

/** While attempts fail, one is made at a time, after a pause. */
function openAttempts() {
  let failure: Error | undefined
  let pauseMs = 0
  let nextAt = 0
  let isConnecting = false
  return {
    /** Returns an error during a pause. */
    begin(): Error | undefined {
      if (pauseMs === 0) return undefined
      if (isConnecting || performance.now() < nextAt) {
        return new DatabaseError('the connection to the database failed', { cause: failure })
      }
      isConnecting = true
      return undefined
    },
    end(error?: Error | null): void {
      const now = performance.now()
      isConnecting = false
      if (!error) {
        pauseMs = 0
        return
      }
      failure = error
      // Concurrent attempts fail together and count as one.
      if (now < nextAt) return
      pauseMs = Math.min(Math.max(pauseMinMs, pauseMs * 2), pauseMaxMs)
      nextAt = now + pauseMs
    },
  }
}

async function readPassword(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new DatabaseError(`the password file ${path} cannot be read`)
  })
  return text.replace(/\r?\n$/, '')
}
