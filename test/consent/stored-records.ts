import { makeSigningKey } from '../../src/auth/signing.ts'
import type { Head } from '../../src/disclosures/block.ts'
import { openRecorder, type Recorder } from '../../src/disclosures/recorder.ts'
import { openStatements } from '../../src/disclosures/statement.ts'
import { verifyRecords } from '../../src/disclosures/verify.ts'
import { openConsentStore, openSigningKeyStore } from '../../src/storage/open.ts'
import { openDatabaseFile } from '../support/database-file.ts'
import { currentEngine, newDatabase, runSql, type Scope } from '../support/engines.ts'
import { makeRecord } from './disclose.ts'

export const start = Temporal.Instant.from('2026-07-01T00:00:00Z')

/** A platform’s database, a new one or an existing one, with a clock, and recorders as its processes have them. */
export async function openRecords(scope: Scope, existing?: string) {
  const database = existing ?? (await newDatabase(scope))
  const { disclosureRecords: store, close } = await openConsentStore(database)
  const signingKeys = await openSigningKeyStore(database)
  scope.after(close)
  scope.after(signingKeys.close)
  await signingKeys.add(await makeSigningKey('ES256', start))
  let now = start
  const heads: Head[] = []
  const open = (): Recorder =>
    openRecorder({
      store,
      signingKeys,
      clock: () => now,
      onHead: (head) => heads.push(head),
      onError: () => {},
    })
  return {
    database,
    store,
    signingKeys,
    heads,
    open,
    pass(duration: Temporal.DurationLike) {
      now = now.toZonedDateTimeISO('UTC').add(duration).toInstant()
    },
    now: () => now,
    /** Records one after another, so that each has a block. */
    async record(recorder: Recorder, count: number) {
      for (let index = 0; index < count; index += 1) {
        now = now.add({ seconds: 1 })
        await recorder.record(makeRecord({ consentId: `r${index}` }))
      }
    },
    async verify(anchors: readonly Head[] = [], read: Parameters<typeof verifyRecords>[0] = store) {
      return verifyRecords(read, await openStatements(signingKeys), anchors, () => {})
    },
    listBlocks: () => store.walk(undefined, 1000),
  }
}

/** As an administrator of the database. */
export async function execute(database: string, sql: string): Promise<void> {
  if (currentEngine() === 'postgres') {
    await runSql(sql, database)
    return
  }
  const file = openDatabaseFile(database)
  file.exec(sql)
  file.close()
}
