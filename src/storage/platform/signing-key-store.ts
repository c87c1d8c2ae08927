import type { SigningKey, SigningKeyStore } from '../../auth/signing-key-store.ts'
import { platformRecords } from '../record-tables.ts'
import { json, optional, type Sql, text, time } from '../sql.ts'

const key = {
  id: text,
  algorithm: text,
  privateKey: json<SigningKey['privateKey']>(),
  created: time,
  retired: optional(time),
}

export function createSigningKeyStore(
  sql: Sql,
  { signingKey: table } = platformRecords,
): SigningKeyStore {
  return {
    list: () =>
      sql.all(
        key,
        `select id, algorithm, private_key, created, retired from ${table}
         order by created desc, id`,
      ),
    async add({ id, algorithm, privateKey, created }) {
      await sql.run(
        `insert into ${table} (id, algorithm, private_key, created) values ($1, $2, $3, $4)`,
        [id, algorithm, JSON.stringify(privateKey), created],
      )
    },
    async retire(id, when) {
      const retire = `update ${table} set retired = $2 where id = $1 and retired is null`
      return (await sql.run(retire, [id, when])) === 1
    },
    ...(sql.readTime && { readTime: sql.readTime }),
    close: () => sql.close(),
  }
}
