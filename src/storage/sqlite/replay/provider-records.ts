import { setTimeout as wait } from 'node:timers/promises'
import type { TokenUse, UseOutcome } from '../../../auth/replay-store.ts'
import { ContractError } from '../../../contract/index.ts'
import type { Block } from '../../../disclosures/block.ts'
import type { ProviderRecord } from '../../../disclosures/record.ts'
import { DatabaseError, type DatabaseOptions, type ReplayOptions } from '../../database.ts'
import { createSigningKeyStore } from '../../platform/signing-key-store.ts'
import type { ProviderRecords } from '../../provider-records.ts'
import { createBlockCalls, createRecordStore } from '../../record-store.ts'
import { providerRecords } from '../../record-tables.ts'
import { isBusy } from '../driver/errors.ts'
import { fileIdentity } from '../driver/files.ts'
import { openDatabase, openReady, withPath } from '../driver/open.ts'
import { dialect, openSqliteSql } from '../driver/sql.ts'
import { existingReplayFile } from './replay-file.ts'
import { openTokenUses } from './token-uses.ts'

/** How long a commit waits while another process locks the file, and the pause between two attempts. */
const busyMaxMs = 4500
const busyRetryMs = 5

/** The records of a provider, in the replay file of its database. */
export function openSqliteProviderRecords(
  databasePath: string,
  { onPurgedToken, ...options }: DatabaseOptions & ReplayOptions = {},
): ProviderRecords {
  const path = findReplayFile(databasePath)
  const opened = fileIdentity(path)
  const file = withPath(path, () => openTokenUses(path))
  const sql = openSqliteSql(path, options, openReady)
  const toCalls = createBlockCalls(providerRecords, dialect)

  const write = async (
    block: Block,
    records: readonly ProviderRecord[],
    uses: readonly TokenUse[],
  ): Promise<readonly UseOutcome[]> => {
    const calls = toCalls(block, records)
    const since = performance.now()
    for (;;) {
      try {
        const { outcomes, purgedUntil } = file.record(uses, calls)
        // Another process does not see what is in a file that was deleted or replaced.
        if (fileIdentity(path) !== opened)
          throw new ContractError('unavailable', 'the replay file was deleted or replaced')
        if (outcomes.includes('purged')) onPurgedToken?.(purgedUntil)
        return outcomes
      } catch (error) {
        if (!isBusy(error) || performance.now() - since > busyMaxMs) throw file.toAppError(error)
        await wait(busyRetryMs)
      }
    }
  }

  return {
    store: {
      ...createRecordStore(sql, { tables: providerRecords }),
      async append(block, records) {
        await write(block, records, [])
      },
      appendWithUses: write,
    },
    signingKeys: createSigningKeyStore(sql, providerRecords),
    async close() {
      await sql.close()
      file.close()
    },
  }
}

function findReplayFile(databasePath: string): string {
  using database = openDatabase(databasePath, 'read')
  const path = existingReplayFile(databasePath, database)
  if (path !== undefined) return path
  throw new DatabaseError(
    `the database ${databasePath} has no records of a provider: no provider has served it`,
  )
}
