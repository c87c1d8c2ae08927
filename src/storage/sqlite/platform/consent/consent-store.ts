import { randomBytes } from 'node:crypto'
import { type ConsentStore, secretBytes } from '../../../../platform/consent/store.ts'
import { openDatabase } from '../../driver/open.ts'
import { command, query } from '../../driver/statements.ts'
import { openWriteQueue } from '../../driver/write-queue.ts'
import { openArrangements } from './arrangements.ts'
import { openArtifacts } from './artifacts.ts'
import { openFlows } from './flows.ts'
import { openAttemptLimits, openPasscodes } from './passcodes.ts'
import { openThirdParties } from './third-parties.ts'

export function openSqliteConsentStore(path: string): ConsentStore {
  const database = openDatabase(path, 'write')
  const write = openWriteQueue(database)
  const arrangements = openArrangements(database, write)
  const insertSecret = command(
    database,
    'insert into consent_secret values (?, ?) on conflict do nothing',
  )
  const secret = query<{ readonly value: string }>(
    database,
    'select value from consent_secret where name = ?',
  )

  return {
    thirdParties: openThirdParties(database, write, arrangements),
    artifacts: openArtifacts(database, write),
    arrangements,
    passcodes: openPasscodes(database, write),
    limits: openAttemptLimits(database, write),
    flows: openFlows(database, write),
    async readSecret(name) {
      const value = secret.first(name)?.value ?? (await write(() => createSecret(name)))
      return Buffer.from(value, 'base64url')
    },
    async close() {
      // After the changes that no caller awaits.
      await write(() => {}).catch(() => {})
      database.close()
    },
  }

  function createSecret(name: string): string {
    insertSecret.run(name, randomBytes(secretBytes).toString('base64url'))
    return secret.first(name)?.value ?? ''
  }
}
