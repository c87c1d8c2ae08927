import { dropCitusDatabases, takeCitusDatabase } from '../test/support/citus.ts'
import { controlWorker, findWorkers, listMissingCommands } from '../test/support/citus-workers.ts'
import { pick } from './random-request.ts'

/** A database on a Citus cluster whose workers can be stopped. */
export interface CitusCluster {
  readonly url: string
  /** Undefined if the environment has no commands to stop and start workers. */
  readonly workers: WorkerControl | undefined
  remove(): Promise<void>
}

export interface WorkerControl {
  /** A random worker that has accounts. */
  pick(): Promise<DatabaseWorker>
  kill(worker: DatabaseWorker): Promise<void>
  revive(worker: DatabaseWorker): Promise<void>
}

export interface DatabaseWorker {
  /** Host and port. */
  readonly address: string
  /** The ids of the accounts whose lists it has. */
  readonly accounts: ReadonlySet<string>
}

export const missingCommands = listMissingCommands(['kill', 'revive'])

export async function openCitusCluster(): Promise<CitusCluster> {
  const url = await takeCitusDatabase()
  return {
    url,
    workers: missingCommands.length > 0 ? undefined : openWorkerControl(url),
    remove: dropCitusDatabases,
  }
}

function openWorkerControl(url: string): WorkerControl {
  return {
    async pick() {
      const workers = await findWorkers(url)
      const address = pick([...new Set(workers.values())])
      const accounts = [...workers.keys()].filter((id) => workers.get(id) === address)
      return { address, accounts: new Set(accounts) }
    },
    kill: ({ address }) => controlWorker('kill', address),
    revive: ({ address }) => controlWorker('revive', address),
  }
}
