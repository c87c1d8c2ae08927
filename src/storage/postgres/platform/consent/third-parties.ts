import type pg from 'pg'
import type { Profile, ThirdParty, ThirdPartyStore } from '../../../../platform/consent/store.ts'
import { escapeNul, unescapeNul } from '../../driver/escape-nul.ts'
import { runStatement } from '../../driver/statements.ts'
import { withdrawAll } from './arrangements.ts'

const columns = 'id, name, profile, redirect_uris, scopes, jwks, jwks_url, created'
const list = {
  name: 'list-third-parties',
  text: `select ${columns} from third_party order by created, id`,
}
const find = {
  name: 'find-third-party',
  text: `select ${columns} from third_party where id = $1`,
}
const insert = {
  name: 'add-third-party',
  text: `insert into third_party (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
}
const remove = {
  name: 'remove-third-party',
  text: 'delete from third_party where id = $1 returning 1',
}

export function openThirdParties(pool: pg.Pool): ThirdPartyStore {
  return {
    async list() {
      return (await runStatement(pool, list, [])).map(toThirdParty)
    },
    async find(id) {
      const [row] = await runStatement(pool, find, [escapeNul(id)])
      return row && toThirdParty(row)
    },
    async add({ id, name, profile, redirectUris, scopes, keys, created }) {
      await runStatement(pool, insert, [
        id,
        escapeNul(name),
        profile,
        JSON.stringify(redirectUris),
        scopes.join(' '),
        'jwks' in keys ? JSON.stringify(keys.jwks) : null,
        'jwksUrl' in keys ? keys.jwksUrl : null,
        created.epochMilliseconds,
      ])
    },
    async remove(id, now) {
      const key = escapeNul(id)
      const removed = await runStatement(pool, remove, [key])
      const withdrawn = await withdrawAll(pool, key, now.epochMilliseconds)
      return removed.length + withdrawn > 0
    },
  }
}

function toThirdParty(row: readonly (string | null)[]): ThirdParty {
  const [id, name, profile, uris, scopes, jwks, jwksUrl, created] = row
  return {
    id: id ?? '',
    name: unescapeNul(name ?? ''),
    profile: profile as Profile,
    redirectUris: JSON.parse(uris ?? '[]'),
    scopes: (scopes ?? '').split(' '),
    keys: jwks == null ? { jwksUrl: jwksUrl ?? '' } : { jwks: JSON.parse(jwks) },
    created: Temporal.Instant.fromEpochMilliseconds(Number(created)),
  }
}
