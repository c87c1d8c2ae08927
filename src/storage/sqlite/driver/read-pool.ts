import { setImmediate } from 'node:timers/promises'
import { ContractError } from '../../../contract/index.ts'
import { openEntryRanges } from '../reads/entry-ranges.ts'
import { toAppError } from './errors.ts'
import { openDatabase } from './open.ts'
import { openStatements } from './sql.ts'

/** Connections for reads that take several turns of the event loop. */
const readersMax = 4

/** How many reads may wait for one of them, and for how long. */
const waitingMax = 256
const waitMsMax = 5000

/** How long one read may use a connection. */
const readMsMax = 30_000

type Connection = ReturnType<typeof openConnection>

export interface Reader extends Pick<Connection, 'readRows' | 'lists'> {
  /** Lets the event loop run other work. Rejects if the read has taken too long. */
  yieldTurn(): Promise<void>
}

interface Waiting {
  readonly since: number
  readonly resolve: (connection: Connection) => void
  readonly reject: (error: Error) => void
}

/** Connections that keep a snapshot over several turns, for one read at a time each. */
export function openReadPool(path: string) {
  // Opened in advance: opening a file may wait for another process, which would block all requests.
  const connections = Array.from({ length: readersMax }, () => openConnection(path))
  const idle = [...connections]
  const waiting: Waiting[] = []

  const acquire = (): Promise<Connection> => {
    const connection = idle.pop()
    if (connection) return Promise.resolve(connection)
    if (waiting.length >= waitingMax) return Promise.reject(overloaded())
    return new Promise((resolve, reject) => {
      waiting.push({ since: performance.now(), resolve, reject })
    })
  }
  const release = (connection: Connection): void => {
    let next = waiting.shift()
    for (; next && performance.now() - next.since > waitMsMax; next = waiting.shift()) {
      next.reject(overloaded())
    }
    if (next) next.resolve(connection)
    else idle.push(connection)
  }

  const use = async <Result>(work: (reader: Reader) => Promise<Result>): Promise<Result> => {
    const connection = await acquire()
    const { database, readRows, lists } = connection
    const since = performance.now()
    const yieldTurn = async () => {
      await setImmediate()
      if (performance.now() - since > readMsMax) throw overloaded()
    }
    try {
      database.exec('begin')
      return await work({ readRows, lists, yieldTurn })
    } catch (error) {
      throw toAppError(error, database)
    } finally {
      // Some failures end the transaction.
      if (database.isTransaction) database.exec('commit')
      release(connection)
    }
  }

  return Object.assign(use, {
    async close() {
      for (const { database } of connections) database.close()
    },
  })
}

function openConnection(path: string) {
  const database = openDatabase(path, 'serve')
  return { database, ...openStatements(database), lists: openEntryRanges(database) }
}

function overloaded(): ContractError {
  return new ContractError('unavailable', 'too many long reads')
}
