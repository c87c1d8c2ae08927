import { randomBytes } from 'node:crypto'
import { type ConsentStore, secretBytes } from '../../../platform/consent/store.ts'
import { createRecordStore } from '../../record-store.ts'
import { platformRecords } from '../../record-tables.ts'
import { type Sql, text } from '../../sql.ts'
import { insert } from '../rows.ts'
import { createArrangementStore } from './arrangements.ts'
import { createArtifactStore } from './artifacts.ts'
import { createAuthorisationStore } from './authorisation-counts.ts'
import { createCorrectionStore } from './corrections.ts'
import { createDisclosureStore, discloseScopes } from './disclosures.ts'
import { createFlowStore } from './flows.ts'
import { createOutboxStore } from './outbox.ts'
import { createAttemptLimitStore, createPasscodeStore } from './passcodes.ts'
import { createSessionStore } from './sessions.ts'
import { createThirdPartyStore } from './third-parties.ts'

export function createConsentStore(sql: Sql): Omit<ConsentStore, 'close'> {
  const find = async (name: string) =>
    (await sql.first({ value: text }, 'select value from consent_secret where name = $1', [name]))
      ?.value

  const outbox = createOutboxStore(sql)

  return {
    thirdParties: createThirdPartyStore(sql),
    artifacts: createArtifactStore(sql),
    arrangements: createArrangementStore(sql, outbox.announce),
    authorisations: createAuthorisationStore(sql),
    disclosures: createDisclosureStore(sql),
    disclosureRecords: createRecordStore(sql, {
      tables: platformRecords,
      withBlock: discloseScopes,
    }),
    corrections: createCorrectionStore(sql),
    passcodes: createPasscodeStore(sql),
    limits: createAttemptLimitStore(sql),
    flows: createFlowStore(sql),
    sessions: createSessionStore(sql),
    outbox,
    async readSecret(name) {
      const stored = await find(name)
      if (stored !== undefined) return Buffer.from(stored, 'base64url')
      const row = { name, value: randomBytes(secretBytes).toString('base64url') }
      await sql.run(...insert('consent_secret', row, 'on conflict do nothing'))
      return Buffer.from((await find(name)) ?? '', 'base64url')
    },
    ...(sql.readTime && { readTime: sql.readTime }),
  }
}
