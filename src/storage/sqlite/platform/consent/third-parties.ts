import type { DatabaseSync } from 'node:sqlite'
import type { Profile, ThirdParty, ThirdPartyStore } from '../../../../platform/consent/store.ts'
import { command, query } from '../../driver/statements.ts'
import type { Write } from '../../driver/write-queue.ts'
import type { SqliteArrangements } from './arrangements.ts'

interface Row {
  readonly id: string
  readonly name: string
  readonly profile: Profile
  readonly redirect_uris: string
  readonly scopes: string
  readonly jwks: string | null
  readonly jwks_url: string | null
  readonly created: number
}

export function openThirdParties(
  database: DatabaseSync,
  write: Write,
  arrangements: SqliteArrangements,
): ThirdPartyStore {
  const all = query<Row>(database, 'select * from third_party order by created, id')
  const one = query<Row>(database, 'select * from third_party where id = ?')
  const insert = command(database, 'insert into third_party values (?, ?, ?, ?, ?, ?, ?, ?)')
  const remove = command(database, 'delete from third_party where id = ?')

  return {
    async list() {
      return all.all().map(toThirdParty)
    },
    async find(id) {
      const row = one.first(id)
      return row && toThirdParty(row)
    },
    async add({ id, name, profile, redirectUris, scopes, keys, created }) {
      const jwks = 'jwks' in keys ? JSON.stringify(keys.jwks) : null
      const url = 'jwksUrl' in keys ? keys.jwksUrl : null
      const uris = JSON.stringify(redirectUris)
      const time = created.epochMilliseconds
      await write(() => insert.run(id, name, profile, uris, scopes.join(' '), jwks, url, time))
    },
    async remove(id, now) {
      const { changes } = await write(() => remove.run(id))
      return (await arrangements.withdrawAll(id, now.epochMilliseconds)) + Number(changes) > 0
    },
  }
}

function toThirdParty(row: Row): ThirdParty {
  return {
    id: row.id,
    name: row.name,
    profile: row.profile,
    redirectUris: JSON.parse(row.redirect_uris),
    scopes: row.scopes.split(' '),
    keys: row.jwks === null ? { jwksUrl: row.jwks_url ?? '' } : { jwks: JSON.parse(row.jwks) },
    created: Temporal.Instant.fromEpochMilliseconds(row.created),
  }
}
