import { type ClientStore, limitScopes } from '../../../auth/client-store.ts'
import type { Scope } from '../../../contract/index.ts'
import { openDatabase } from '../driver/open.ts'
import { command, query } from '../driver/statements.ts'
import { openWriteQueue } from '../driver/write-queue.ts'

interface ClientRow {
  readonly id: string
  readonly name: string
  readonly scopes: string
  readonly secret_hash: string
  readonly created: number
  readonly rotated: number | null
}

interface TokenRow {
  readonly client: string
  readonly name: string
  readonly scopes: string
  readonly client_scopes: string
  readonly expires: number
}

export function openSqliteClientStore(path: string): ClientStore {
  const database = openDatabase(path, 'write')
  const write = openWriteQueue(database)
  const all = query<ClientRow>(database, 'select * from api_client order by created, id')
  const one = query<ClientRow>(database, 'select * from api_client where id = ?')
  const insert = command(database, 'insert into api_client values (?, ?, ?, ?, ?, null)')
  const rotate = command(
    database,
    'update api_client set secret_hash = ?, rotated = ? where id = ?',
  )
  const remove = command(database, 'delete from api_client where id = ?')
  const removeTokens = command(database, 'delete from api_token where client = ?')
  const deleteExpired = command(database, 'delete from api_token where expires <= ?')
  const insertToken = command(database, 'insert into api_token values (?, ?, ?, ?, ?)')
  const removeToken = command(database, 'delete from api_token where digest = ?')
  const token = query<TokenRow>(
    database,
    // The join includes the secret: a rotation revokes tokens at once, even one that is being issued concurrently.
    `select t.client, c.name, t.scopes, c.scopes as client_scopes, t.expires from api_token t
     join api_client c on c.id = t.client and c.secret_hash = t.secret_hash where t.digest = ?`,
  )
  const toClient = ({ id, name, scopes, secret_hash, created, rotated }: ClientRow) => ({
    id,
    name,
    scopes: parseScopes(scopes),
    secretHash: secret_hash,
    created: toInstant(created),
    ...(rotated !== null && { rotated: toInstant(rotated) }),
  })

  return {
    async list() {
      return all.all().map(toClient)
    },
    async add({ id, name, scopes, created }, secretHash) {
      await write(() =>
        insert.run(id, name, scopes.join(' '), secretHash, created.epochMilliseconds),
      )
    },
    async rotate(id, secretHash, when) {
      return write(() => rotate.run(secretHash, when.epochMilliseconds, id).changes === 1)
    },
    async remove(id) {
      return write(() => {
        removeTokens.run(id)
        return remove.run(id).changes === 1
      })
    },
    async find(id) {
      const row = one.first(id)
      return row && toClient(row)
    },
    async addToken(digest, { client, scopes, expires }, secretHash, now) {
      const scope = scopes.join(' ')
      await write(() => {
        deleteExpired.run(now.epochMilliseconds)
        insertToken.run(digest, client.id, scope, expires.epochMilliseconds, secretHash)
      })
    },
    async removeToken(digest) {
      await write(() => removeToken.run(digest))
    },
    async findToken(digest) {
      const row = token.first(digest)
      return (
        row && {
          client: { id: row.client, name: row.name },
          scopes: limitScopes(parseScopes(row.scopes), parseScopes(row.client_scopes)),
          expires: toInstant(row.expires),
        }
      )
    },
    async close() {
      database.close()
    },
  }
}

const toInstant = Temporal.Instant.fromEpochMilliseconds

function parseScopes(text: string): Scope[] {
  return text.split(' ') as Scope[]
}
