import { randomBytes } from 'node:crypto'
import { type ConsentStore, secretBytes } from '../../../../platform/consent/store.ts'
import type { DatabaseOptions } from '../../../database.ts'
import { openPool } from '../../driver/pool.ts'
import { runInOrder } from '../../driver/statements.ts'
import { readTime } from '../read-time.ts'
import { openArrangements } from './arrangements.ts'
import { openArtifacts } from './artifacts.ts'
import { openFlows } from './flows.ts'
import { openAttemptLimits, openPasscodes } from './passcodes.ts'
import { openThirdParties } from './third-parties.ts'

const insertSecret = {
  name: 'add-consent-secret',
  text: 'insert into consent_secret (name, value) values ($1, $2) on conflict do nothing',
}
const readSecret = {
  name: 'read-consent-secret',
  text: 'select value from consent_secret where name = $1',
}

export async function openPostgresConsentStore(
  database: string,
  options: DatabaseOptions,
): Promise<ConsentStore> {
  const pool = await openPool(database, 'write', options)
  return {
    thirdParties: openThirdParties(pool),
    artifacts: openArtifacts(pool),
    arrangements: openArrangements(pool),
    passcodes: openPasscodes(pool),
    limits: openAttemptLimits(pool),
    flows: openFlows(pool),
    async readSecret(name) {
      const value = randomBytes(secretBytes).toString('base64url')
      const [, [[stored] = []] = []] = await runInOrder(pool, [
        [insertSecret, [name, value]],
        [readSecret, [name]],
      ])
      return Buffer.from(stored ?? '', 'base64url')
    },
    readTime: () => readTime(pool),
    async close() {
      await pool.end()
    },
  }
}
