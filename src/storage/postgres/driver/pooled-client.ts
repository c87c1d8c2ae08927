import { readFile } from 'node:fs/promises'
import type pg from 'pg'
import { DatabaseError } from '../../database.ts'

/** After an attempt to connect that failed, how long none is made. The time doubles while they fail. */
const pauseMinMs = 100
const pauseMaxMs = 1000

type Connected = (error?: Error | null) => void

/**
 * A kind of client for one pool. It reads the password before it connects, so that the server never waits for a
 * password; a connection that is not established leaves no socket behind; and while connecting fails, the next
 * attempt is postponed and calls fail at once.
 */
export function pooledClient(
  Client: typeof pg.Client,
  passwordFile: string | undefined,
): typeof pg.Client {
  const attempts = openAttempts()

  return class PooledClient extends Client {
    override connect(): Promise<pg.Client>
    override connect(callback: Connected): void
    override connect(callback?: Connected): Promise<pg.Client> | undefined {
      if (callback) {
        this.#connect(callback)
        return undefined
      }
      return new Promise((resolve, reject) => {
        this.#connect((error) => (error ? reject(error) : resolve(this)))
      })
    }

    /** Calls back in the same turn as the driver does: an error may follow right behind, and needs a listener. */
    async #connect(callback: Connected): Promise<void> {
      const finish = (error?: Error | null) => {
        if (error) this.connection.stream.destroy()
        attempts.end(error)
        callback(error)
      }
      const refusal = attempts.begin()
      if (refusal) return process.nextTick(callback, refusal)
      try {
        if (passwordFile !== undefined) this.password = await passwordIn(passwordFile)
      } catch (error) {
        return finish(error as Error)
      }
      super.connect(finish)
    }
  }
}

/** While attempts fail, one is made at a time, and not before its pause is over. */
function openAttempts() {
  let failure: Error | undefined
  let pauseMs = 0
  let nextAt = 0
  let isTrying = false
  return {
    /** Returns why no attempt is to be made now. */
    begin(): Error | undefined {
      if (pauseMs === 0) return undefined
      if (isTrying || performance.now() < nextAt) {
        return new DatabaseError('the database could not be connected to', { cause: failure })
      }
      isTrying = true
      return undefined
    },
    end(error?: Error | null): void {
      const now = performance.now()
      isTrying = false
      if (!error) {
        pauseMs = 0
        return
      }
      failure = error
      // Those that were made at once fail at once, and count as one.
      if (now < nextAt) return
      pauseMs = Math.min(Math.max(pauseMinMs, pauseMs * 2), pauseMaxMs)
      nextAt = now + pauseMs
    },
  }
}

async function passwordIn(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new DatabaseError(`the password file ${path} cannot be read`)
  })
  return text.replace(/\r?\n$/, '')
}
