import type { SigningKeyStore } from '../../../auth/signing-key-store.ts'
import { openDatabase } from '../driver/open.ts'
import { command, query } from '../driver/statements.ts'
import { openWriteQueue } from '../driver/write-queue.ts'

interface Row {
  readonly id: string
  readonly algorithm: string
  readonly private_key: string
  readonly created: number
  readonly retired: number | null
}

export function openSqliteSigningKeyStore(path: string): SigningKeyStore {
  const database = openDatabase(path, 'write')
  const write = openWriteQueue(database)
  const rows = query<Row>(database, 'select * from signing_key order by created desc, id')
  const insert = command(database, 'insert into signing_key values (?, ?, ?, ?, null)')
  const retire = command(
    database,
    'update signing_key set retired = ? where id = ? and retired is null',
  )
  const instant = Temporal.Instant.fromEpochMilliseconds

  return {
    async list() {
      return rows.all().map(({ id, algorithm, private_key, created, retired }) => ({
        id,
        algorithm,
        privateKey: JSON.parse(private_key),
        created: instant(created),
        ...(retired !== null && { retired: instant(retired) }),
      }))
    },
    async add({ id, algorithm, privateKey, created }) {
      await write(() =>
        insert.run(id, algorithm, JSON.stringify(privateKey), created.epochMilliseconds),
      )
    },
    async retire(id, when) {
      return write(() => retire.run(when.epochMilliseconds, id).changes === 1)
    },
    async close() {
      database.close()
    },
  }
}
