import type {
  KeySet,
  Profile,
  ThirdParty,
  ThirdPartyStore,
} from '../../../platform/consent/store.ts'
import {
  json,
  nullable,
  oneOf,
  optional,
  type Row,
  type Sql,
  text,
  time,
  words,
} from '../../sql.ts'
import { columnsOf, insert } from '../rows.ts'
import { withdrawAll } from './end-arrangements.ts'
import { cancelMessages } from './outbox.ts'

const thirdParty = {
  id: text,
  name: text,
  profile: oneOf<Profile>(),
  redirectUris: json<string[]>(),
  scopes: words,
  jwks: nullable(json<KeySet>()),
  jwksUrl: nullable(text),
  recipientBaseUri: optional(text),
  created: time,
}
const columns = columnsOf(thirdParty)

export function createThirdPartyStore(sql: Sql): ThirdPartyStore {
  return {
    async list() {
      const list = `select ${columns} from third_party order by created, id`
      return (await sql.all(thirdParty, list)).map(toThirdParty)
    },
    async find(id) {
      const find = `select ${columns} from third_party where id = $1`
      const row = await sql.first(thirdParty, find, [id])
      return row && toThirdParty(row)
    },
    async add({ id, name, profile, redirectUris, scopes, keys, recipientBaseUri, created }) {
      const jwks = 'jwks' in keys ? { jwks: JSON.stringify(keys.jwks) } : { jwksUrl: keys.jwksUrl }
      const lists = { redirectUris: JSON.stringify(redirectUris), scopes: scopes.join(' ') }
      const row = { id, name, profile, ...lists, ...jwks, recipientBaseUri, created }
      await sql.run(...insert('third_party', row))
    },
    async remove(id, now) {
      const removed = await sql.run('delete from third_party where id = $1', [id])
      const withdrawn = await withdrawAll(sql, id, now)
      await cancelMessages(sql, id, now)
      return removed + withdrawn > 0
    },
  }
}

function toThirdParty({ jwks, jwksUrl, ...row }: Row<typeof thirdParty>): ThirdParty {
  return { ...row, keys: jwks === null ? { jwksUrl: jwksUrl ?? '' } : { jwks } }
}
