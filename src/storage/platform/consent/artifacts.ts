import type { ArtifactStore } from '../../../platform/consent/store.ts'
import { optional, type Sql, text, time } from '../../sql.ts'
import { insert } from '../rows.ts'
import { purgeExpired } from './purge-expired.ts'

const expired = { table: 'artifact', key: 'model, key', time: 'expires' }

/**
 * The arrangement is looked up by its id: an expression is not looked up in an index, and because of the offset, the
 * planner of PostgreSQL does not read all arrangements into a hash table instead.
 */
const isLive = `expires > $3 and (grant_id is null or exists (
  select 1 from arrangement a join third_party t on t.id = a.third_party
  where a.id = grant_id and (a.status || '') = 'active' and a.ends > $3 limit 1 offset 0))`

const replace = `on conflict (model, key) do update set grant_id = excluded.grant_id, uid = excluded.uid,
  payload = excluded.payload, expires = excluded.expires`

export function createArtifactStore(sql: Sql): ArtifactStore {
  const write = async (
    onConflict: string,
    ...[model, key, { grantId, uid, payload, expires }, now]: Parameters<ArtifactStore['add']>
  ): Promise<boolean> => {
    const [, written] = await sql.inOrder(
      // A replacement of an expired artifact is a new one.
      ['delete from artifact where model = $1 and key = $2 and expires <= $3', [model, key, now]],
      insert('artifact', { model, key, grantId, uid, payload, expires }, onConflict),
      purgeExpired(sql.dialect, expired, now.epochMilliseconds),
    )
    return written === 1
  }
  const find = (key: 'key' | 'uid') => (model: string, value: string, now: Temporal.Instant) =>
    sql.first(
      { payload: text, consumed: optional(time) },
      `select payload, consumed from artifact where model = $1 and ${key} = $2 and ${isLive}`,
      [model, value, now],
    )

  return {
    put: async (...artifact) => void (await write(replace, ...artifact)),
    add: (...artifact) => write('on conflict do nothing', ...artifact),
    find: find('key'),
    findByUid: find('uid'),
    consume: (...values) =>
      sql.changes(
        `update artifact set consumed = $3
         where model = $1 and key = $2 and consumed is null and expires > $3`,
        values,
      ),
    async release(model, key, consumed) {
      const release = `update artifact set consumed = null
        where model = $1 and key = $2 and consumed = $3`
      await sql.run(release, [model, key, consumed])
    },
    remove: (...values) =>
      sql.changes('delete from artifact where model = $1 and key = $2', values),
    async removeByGrant(grantId, kept) {
      await sql.run('delete from artifact where grant_id = $1 and model <> $2', [grantId, kept])
    },
  }
}
