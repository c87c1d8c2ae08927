import type {
  BrowserSessionStore,
  SessionOwner,
  StoredSession,
} from '../../auth/browser-session-store.ts'
import { limitScopes } from '../../auth/client-store.ts'
import type { AddressKind, Scope } from '../../contract/index.ts'
import { oneOf, optional, type Row, type Sql, text, time } from '../sql.ts'
import { purgeExpired } from './consent/purge-expired.ts'
import { insert } from './rows.ts'

/** A person may have no scopes. */
const scopes = (cell: Parameters<typeof text>[0]) =>
  text(cell).split(' ').filter(Boolean) as Scope[]

const session = {
  id: text,
  userId: text,
  name: text,
  issuer: text,
  scopes,
  clientScopes: optional(scopes),
  started: time,
  used: time,
  expires: time,
  ends: time,
  address: oneOf<AddressKind>(),
}
const columns = `s.id, s.user_id, s.name, s.issuer, s.scopes, c.scopes as client_scopes, s.started,
  s.used, s.expires, s.ends, s.address`

/** Those that have not ended, at a time and with the rules for people. */
const valid = `browser_session s left join api_client c on s.issuer = '' and c.id = s.user_id
  where s.expires > $1 and s.secret_hash = case s.issuer when '' then c.secret_hash else $2 end`

/** How many sessions of a user are deleted at once. */
const deletedMax = 100

const expired = { table: 'browser_session', key: 'digest', time: 'expires' }

export function createBrowserSessionStore(sql: Sql): BrowserSessionStore {
  return {
    async add(digest, added, perUserMax) {
      const { id, user, started, used, expires, ends, address, secretHash, idToken } = added
      const owner = toValues(user)
      const [userId, issuer] = owner
      const validity = { scopes: added.scopes.join(' '), secretHash, started, used, expires, ends }
      // Those beyond are deleted first, so that the one that is added is not among them.
      const beyond = `select digest from browser_session where user_id = $1 and issuer = $2
        order by used desc, id limit ${deletedMax} offset ${perUserMax - 1}
        ${sql.dialect.skipLocked}`
      await sql.inOrder(
        [`delete from browser_session where digest in (${beyond})`, owner],
        insert('browser_session', {
          ...{ digest, id, userId, issuer, name: user.name, ...validity, address, idToken },
        }),
        purgeExpired(sql.dialect, expired, started.epochMilliseconds),
      )
    },
    async find(digest, { now, rules }) {
      const query = `select ${columns} from ${valid} and s.digest = $3`
      const row = await sql.first(session, query, [now, rules, digest])
      return row && toSession(row)
    },
    async list(owner, limit, { now, rules }) {
      const [id, issuer] = owner ? toValues(owner) : []
      const selected = `select ${columns} from ${valid}
        and (cast($3 as text) is null or (s.user_id = $3 and s.issuer = $4))`
      const { items, total } = await sql.page(
        session,
        `with found as not materialized (${selected})
         select counted.total, page.* from (select count(*) as total from found) as counted
         left join (select * from found order by used desc, id limit $5) as page on true
         order by used desc, id`,
        [now, rules, id, issuer, limit],
      )
      return { items: items.map(toSession), total }
    },
    async findById(id, { now, rules }) {
      const query = `select ${columns} from ${valid} and s.id = $3`
      const row = await sql.first(session, query, [now, rules, id])
      return row && toSession(row)
    },
    async noteUse(digest, used, expires) {
      await sql.run(
        'update browser_session set used = $2, expires = $3 where digest = $1 and used < $2',
        [digest, used, expires],
      )
    },
    remove: (digest) =>
      sql.transaction(async (transaction) => {
        const row = await transaction.first(
          { idToken: optional(text) },
          'delete from browser_session where digest = $1 returning id_token',
          [digest],
        )
        return row?.idToken
      }),
    removeById: (id) => sql.changes('delete from browser_session where id = $1', [id]),
  }
}

/** The id of a user, and the identity provider; none for an API client. */
function toValues({ id, issuer = '' }: SessionOwner): [string, string] {
  return [id, issuer]
}

function toSession(found: Row<typeof session>): StoredSession {
  const { userId, name, issuer, clientScopes, ...row } = found
  return {
    ...row,
    user: { id: userId, name, ...(issuer !== '' && { issuer }) },
    scopes: clientScopes ? limitScopes(row.scopes, clientScopes) : row.scopes,
  }
}
