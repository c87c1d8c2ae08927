import { type Action, listMissingCommands } from './citus-workers.ts'
import { type Body, describeOnCitus } from './engines.ts'

/** Declares tests that do this to a worker. They are skipped without a cluster, and without the commands. */
export function describeWithWorkers(needed: readonly Action[], name: string, body: Body): void {
  const missing = listMissingCommands(needed)
  describeOnCitus(name, { skip: missing.length > 0 && `${missing.join(', ')} not set` }, body)
}
