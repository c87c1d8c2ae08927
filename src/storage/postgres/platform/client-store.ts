import type { ClientStore } from '../../../auth/client-store.ts'
import type { Scope } from '../../../contract/index.ts'
import type { DatabaseOptions } from '../../database.ts'
import { fromText, toText } from '../driver/escape-nul.ts'
import { openPool } from '../driver/pool.ts'
import { rowsOf } from '../driver/statements.ts'

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
/** Joined by the secret too: a rotation revokes tokens at once, even one that is being issued meanwhile. */
const findToken = {
  name: 'find-token',
  text: `select t.client, c.name, t.scopes, t.expires from api_token t
    join api_client c on c.id = t.client and c.secret_hash = t.secret_hash where t.digest = $1`,
}

export async function openPostgresClientStore(
  database: string,
  options: DatabaseOptions,
): Promise<ClientStore> {
  const pool = await openPool(database, 'write', options)

  return {
    async list() {
      return (await rowsOf(pool, list, [])).map(clientOf)
    },
    async add({ id, name, scopes, created }, secretHash) {
      const values = [id, toText(name), scopes.join(' '), secretHash, created.epochMilliseconds]
      await rowsOf(pool, insert, values)
    },
    async rotate(id, secretHash, when) {
      const values = [secretHash, when.epochMilliseconds, toText(id)]
      return (await rowsOf(pool, rotate, values)).length === 1
    },
    async remove(id) {
      return (await rowsOf(pool, remove, [toText(id)])).length === 1
    },
    async find(id) {
      const [row] = await rowsOf(pool, find, [toText(id)])
      return row && clientOf(row)
    },
    async addToken(digest, { client, scopes, expires }, secretHash, now) {
      await rowsOf(pool, insertToken, [
        digest,
        client.id,
        scopes.join(' '),
        expires.epochMilliseconds,
        secretHash,
        now.epochMilliseconds,
      ])
    },
    async findToken(digest) {
      const [row] = await rowsOf(pool, findToken, [digest])
      if (!row) return undefined
      const [id, name, scopes, expires] = row
      return {
        client: { id: id ?? '', name: fromText(name ?? '') },
        scopes: scopesOf(scopes),
        expires: instant(expires),
      }
    },
    async close() {
      await pool.end()
    },
  }
}

type Cell = string | null | undefined

function clientOf([id, name, scopes, secretHash, created, rotated]: readonly Cell[]) {
  return {
    id: id ?? '',
    name: fromText(name ?? ''),
    scopes: scopesOf(scopes),
    secretHash: secretHash ?? '',
    created: instant(created),
    ...(rotated != null && { rotated: instant(rotated) }),
  }
}

function instant(text: Cell): Temporal.Instant {
  return Temporal.Instant.fromEpochMilliseconds(Number(text))
}

function scopesOf(text: Cell): Scope[] {
  return (text ?? '').split(' ') as Scope[]
}
