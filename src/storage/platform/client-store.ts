import { type ClientStore, limitScopes } from '../../auth/client-store.ts'
import type { Scope } from '../../contract/index.ts'
import { optional, type Sql, text, time, words } from '../sql.ts'
import { createBrowserSessionStore } from './browser-session-store.ts'
import { columnsOf, insert } from './rows.ts'

const scopes = words as (cell: Parameters<typeof words>[0]) => Scope[]

const client = {
  id: text,
  name: text,
  scopes,
  secretHash: text,
  created: time,
  rotated: optional(time),
}
const selectClients = `select ${columnsOf(client)} from api_client`

/**
 * Deletes the token that expired first: a transaction that deletes several, one after another, never waits for one before
 * those that it has deleted, which could be a deadlock.
 */
const deleteExpired = `delete from api_token where digest = (
  select digest from api_token where expires <= $1 order by expires, digest limit 1)`

export function createClientStore(sql: Sql): Omit<ClientStore, 'close'> {
  return {
    sessions: createBrowserSessionStore(sql),
    list: () => sql.all(client, `${selectClients} order by created, id`),
    async add({ id, name, scopes, created }, secretHash) {
      const row = { id, name, scopes: scopes.join(' '), secretHash, created }
      await sql.run(...insert('api_client', row))
    },
    rotate: (...values) =>
      sql.changes('update api_client set secret_hash = $2, rotated = $3 where id = $1', values),
    // Its tokens are invalid without it, and are deleted when they expire.
    remove: (id) => sql.changes('delete from api_client where id = $1', [id]),
    find: (id) => sql.first(client, `${selectClients} where id = $1`, [id]),
    async addToken(digest, { client, scopes, expires }, secretHash, now) {
      const row = { digest, client: client.id, scopes: scopes.join(' '), expires, secretHash }
      await sql.inOrder(
        insert('api_token', row),
        // Two, so that their number falls after many were issued.
        [deleteExpired, [now]],
        [deleteExpired, [now]],
      )
    },
    async removeToken(digest) {
      await sql.run('delete from api_token where digest = $1', [digest])
    },
    async findToken(digest) {
      const row = await sql.first(
        { id: text, name: text, scopes, clientScopes: scopes, expires: time },
        // The join includes the secret: a rotation revokes tokens at once, even one that is being issued concurrently.
        `select t.client, c.name, t.scopes, c.scopes, t.expires from api_token t
         join api_client c on c.id = t.client and c.secret_hash = t.secret_hash where t.digest = $1`,
        [digest],
      )
      if (!row) return undefined
      const { id, name, expires } = row
      return { client: { id, name }, scopes: limitScopes(row.scopes, row.clientScopes), expires }
    },
  }
}
