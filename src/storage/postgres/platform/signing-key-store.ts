import type { SigningKeyStore } from '../../../auth/signing-key-store.ts'
import type { DatabaseOptions } from '../../database.ts'
import { openPool } from '../driver/pool.ts'
import { runStatement } from '../driver/statements.ts'
import { readTime } from './read-time.ts'

const list = {
  name: 'list-keys',
  text: `select id, algorithm, private_key, created, retired from signing_key order by created desc, id`,
}
const insert = {
  name: 'add-key',
  text: 'insert into signing_key (id, algorithm, private_key, created) values ($1, $2, $3, $4)',
}
const retire = {
  name: 'retire-key',
  text: 'update signing_key set retired = $1 where id = $2 and retired is null returning 1',
}

export async function openPostgresSigningKeyStore(
  database: string,
  options: DatabaseOptions,
): Promise<SigningKeyStore> {
  const pool = await openPool(database, 'write', options)
  const instant = (text: string | null) => Temporal.Instant.fromEpochMilliseconds(Number(text))

  return {
    async list() {
      const rows = await runStatement(pool, list, [])
      return rows.map(([id, algorithm, privateKey, created = null, retired = null]) => ({
        id: id ?? '',
        algorithm: algorithm ?? '',
        privateKey: JSON.parse(privateKey ?? ''),
        created: instant(created),
        ...(retired !== null && { retired: instant(retired) }),
      }))
    },
    async add({ id, algorithm, privateKey, created }) {
      await runStatement(pool, insert, [
        id,
        algorithm,
        JSON.stringify(privateKey),
        created.epochMilliseconds,
      ])
    },
    async retire(id, when) {
      return (await runStatement(pool, retire, [when.epochMilliseconds, id])).length === 1
    },
    readTime: () => readTime(pool),
    async close() {
      await pool.end()
    },
  }
}
