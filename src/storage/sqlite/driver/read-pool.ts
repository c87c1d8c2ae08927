import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { ContractError } from '../../../contract/index.ts'
import { openAccounts } from '../reads/accounts.ts'
import { type EntryRanges, openEntryRanges } from '../reads/entry-ranges.ts'
import { toAppError } from './errors.ts'
import { openDatabase } from './open.ts'

/** Connections for answers that take several turns; the others are given in one. */
const readersMax = 4

/** How many answers may wait for one of them, and for how long. */
const waitingMax = 256
const waitMsMax = 5000

/** How long one answer may have a connection. */
const answerMsMax = 30_000

export interface Reader {
  readonly accounts: ReturnType<typeof openAccounts>
  readonly lists: EntryRanges
  /** Lets others be served, unless the answer has taken too long already. */
  takeTurn(): Promise<void>
}

interface Connection {
  readonly database: DatabaseSync
  readonly accounts: ReturnType<typeof openAccounts>
  readonly lists: EntryRanges
}

interface Waiting {
  readonly since: number
  readonly resolve: (connection: Connection) => void
  readonly reject: (error: Error) => void
}

/** Connections that keep their snapshot over several turns, one answer at a time each. */
export function openReadPool(path: string) {
  // All at once: to open a file may have to wait for another process, which would hold up everybody.
  const connections = Array.from({ length: readersMax }, () => connectionTo(path))
  const idle = [...connections]
  const waiting: Waiting[] = []

  const take = (): Promise<Connection> => {
    const connection = idle.pop()
    if (connection) return Promise.resolve(connection)
    if (waiting.length >= waitingMax) return Promise.reject(tooMuch())
    return new Promise((resolve, reject) => {
      waiting.push({ since: performance.now(), resolve, reject })
    })
  }
  const giveBack = (connection: Connection): void => {
    let next = waiting.shift()
    for (; next && performance.now() - next.since > waitMsMax; next = waiting.shift()) {
      next.reject(tooMuch())
    }
    if (next) next.resolve(connection)
    else idle.push(connection)
  }

  const use = async <Result>(work: (reader: Reader) => Promise<Result>): Promise<Result> => {
    const connection = await take()
    const { database, accounts, lists } = connection
    const since = performance.now()
    const takeTurn = async () => {
      await setImmediate()
      if (performance.now() - since > answerMsMax) throw tooMuch()
    }
    try {
      database.exec('begin')
      return await work({ accounts, lists, takeTurn })
    } catch (error) {
      throw toAppError(error, database)
    } finally {
      // Some failures end the transaction by themselves.
      if (database.isTransaction) database.exec('commit')
      giveBack(connection)
    }
  }

  return Object.assign(use, {
    async close() {
      for (const { database } of connections) database.close()
    },
  })
}

function connectionTo(path: string): Connection {
  const database = openDatabase(path, 'serve')
  return { database, accounts: openAccounts(database), lists: openEntryRanges(database) }
}

function tooMuch(): ContractError {
  return new ContractError('unavailable', 'too many long answers at once')
}
