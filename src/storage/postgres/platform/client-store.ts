import { type ClientStore, limitScopes } from '../../../auth/client-store.ts'
import type { Scope } from '../../../contract/index.ts'
import type { DatabaseOptions } from '../../database.ts'
import { escapeNul, unescapeNul } from '../driver/escape-nul.ts'
import { openPool } from '../driver/pool.ts'
import { runStatement } from '../driver/statements.ts'

const columns = 'id, name, scopes, secret_hash, created, rotated'
const list = {
  name: 'list-clients',
  text: `select ${columns} from api_client order by created, id`,
}
const find = { name: 'find-client', text: `select ${columns} from api_client where id = $1` }
const insert = {
  name: 'add-client',
  text: 'insert into api_client (id, name, scopes, secret_hash, created) values ($1, $2, $3, $4, $5)',
}
const rotate = {
  name: 'rotate-client',
  text: 'update api_client set secret_hash = $1, rotated = $2 where id = $3 returning 1',
}
const remove = {
  name: 'remove-client',
  text: `with tokens as (delete from api_token where client = $1)
    delete from api_client where id = $1 returning 1`,
}
const insertToken = {
  name: 'add-token',
  text: `with expired as (delete from api_token where expires <= $6)
    insert into api_token values ($1, $2, $3, $4, $5)`,
}
const removeToken = { name: 'remove-token', text: 'delete from api_token where digest = $1' }
/** The join includes the secret: a rotation revokes tokens at once, even one that is being issued concurrently. */
const findToken = {
  name: 'find-token',
  text: `select t.client, c.name, t.scopes, c.scopes, t.expires from api_token t
    join api_client c on c.id = t.client and c.secret_hash = t.secret_hash where t.digest = $1`,
}

export async function openPostgresClientStore(
  database: string,
  options: DatabaseOptions,
): Promise<ClientStore> {
  const pool = await openPool(database, 'write', options)

  return {
    async list() {
      return (await runStatement(pool, list, [])).map(toClient)
    },
    async add({ id, name, scopes, created }, secretHash) {
      const values = [id, escapeNul(name), scopes.join(' '), secretHash, created.epochMilliseconds]
      await runStatement(pool, insert, values)
    },
    async rotate(id, secretHash, when) {
      const values = [secretHash, when.epochMilliseconds, escapeNul(id)]
      return (await runStatement(pool, rotate, values)).length === 1
    },
    async remove(id) {
      return (await runStatement(pool, remove, [escapeNul(id)])).length === 1
    },
    async find(id) {
      const [row] = await runStatement(pool, find, [escapeNul(id)])
      return row && toClient(row)
    },
    async addToken(digest, { client, scopes, expires }, secretHash, now) {
      await runStatement(pool, insertToken, [
        digest,
        client.id,
        scopes.join(' '),
        expires.epochMilliseconds,
        secretHash,
        now.epochMilliseconds,
      ])
    },
    async removeToken(digest) {
      await runStatement(pool, removeToken, [digest])
    },
    async findToken(digest) {
      const [row] = await runStatement(pool, findToken, [digest])
      if (!row) return undefined
      const [id, name, scopes, clientScopes, expires] = row
      return {
        client: { id: id ?? '', name: unescapeNul(name ?? '') },
        scopes: limitScopes(parseScopes(scopes), parseScopes(clientScopes)),
        expires: toInstant(expires),
      }
    },
    async close() {
      await pool.end()
    },
  }
}

type Cell = string | null | undefined

function toClient([id, name, scopes, secretHash, created, rotated]: readonly Cell[]) {
  return {
    id: id ?? '',
    name: unescapeNul(name ?? ''),
    scopes: parseScopes(scopes),
    secretHash: secretHash ?? '',
    created: toInstant(created),
    ...(rotated != null && { rotated: toInstant(rotated) }),
  }
}

function toInstant(text: Cell): Temporal.Instant {
  return Temporal.Instant.fromEpochMilliseconds(Number(text))
}

function parseScopes(text: Cell): Scope[] {
  return (text ?? '').split(' ') as Scope[]
}
