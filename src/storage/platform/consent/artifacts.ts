import type { Artifact, ArtifactStore } from '../../../platform/consent/store.ts'
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
    model: string,
    key: string,
    { grantId, uid, payload, expires }: Artifact,
    now: Temporal.Instant,
    onConflict: string,
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
    async put(model, key, artifact, now) {
      await write(model, key, artifact, now, replace)
    },
    add: (model, key, artifact, now) => write(model, key, artifact, now, 'on conflict do nothing'),
    find: find('key'),
    findByUid: find('uid'),
    async consume(model, key, now) {
      const consume = `update artifact set consumed = $3
        where model = $1 and key = $2 and consumed is null and expires > $3`
      return (await sql.run(consume, [model, key, now])) === 1
    },
    async release(model, key, consumed) {
      const release = `update artifact set consumed = null
        where model = $1 and key = $2 and consumed = $3`
      await sql.run(release, [model, key, consumed])
    },
    async remove(model, key) {
      const remove = 'delete from artifact where model = $1 and key = $2'
      return (await sql.run(remove, [model, key])) === 1
    },
    async removeByGrant(grantId, kept) {
      await sql.run('delete from artifact where grant_id = $1 and model <> $2', [grantId, kept])
    },
  }
}
