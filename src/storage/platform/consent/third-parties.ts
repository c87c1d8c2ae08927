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
import { withdrawAll } from './end-arrangements.ts'
import { cancelMessages } from './outbox.ts'

const columns =
  'id, name, profile, redirect_uris, scopes, jwks, jwks_url, recipient_base_uri, created'
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
      await sql.run(
        `insert into third_party (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [
          id,
          name,
          profile,
          JSON.stringify(redirectUris),
          scopes.join(' '),
          'jwks' in keys ? JSON.stringify(keys.jwks) : null,
          'jwksUrl' in keys ? keys.jwksUrl : null,
          recipientBaseUri,
          created,
        ],
      )
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
