import type { SigningKey, SigningKeyStore } from '../../auth/signing-key-store.ts'
import { platformRecords } from '../record-tables.ts'
import { json, optional, type Sql, text, time } from '../sql.ts'
import { columnsOf, insert } from './rows.ts'

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
): Omit<SigningKeyStore, 'close'> {
  return {
    list: () => sql.all(key, `select ${columnsOf(key)} from ${table} order by created desc, id`),
    async add({ id, algorithm, privateKey, created }) {
      const row = { id, algorithm, privateKey: JSON.stringify(privateKey), created }
      await sql.run(...insert(table, row))
    },
    retire: (...values) =>
      sql.changes(`update ${table} set retired = $2 where id = $1 and retired is null`, values),
    ...(sql.readTime && { readTime: sql.readTime }),
  }
}
