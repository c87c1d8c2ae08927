import type { DatabaseSync } from 'node:sqlite'
import type { ArtifactStore } from '../../../../platform/consent/store.ts'
import { command, query } from '../../driver/statements.ts'
import type { Write } from '../../driver/write-queue.ts'
import { createPurge } from './purge-expired.ts'

interface Row {
  readonly payload: string
  readonly consumed: number | null
}

const isLive = `expires > :now and (grant_id is null or exists (
  select 1 from arrangement a join third_party t on t.id = a.third_party
  where a.id = grant_id and a.status = 'active' and a.ends > :now))`

export function openArtifacts(database: DatabaseSync, write: Write): ArtifactStore {
  const purge = createPurge(database, 'artifact', 'model, key', 'expires')
  const removeExpired = command(
    database,
    'delete from artifact where model = ? and key = ? and expires <= ?',
  )
  const columns = '(model, key, grant_id, uid, payload, expires)'
  const put = command(
    database,
    `insert into artifact ${columns} values (?, ?, ?, ?, ?, ?)
     on conflict do update set grant_id = excluded.grant_id, uid = excluded.uid,
       payload = excluded.payload, expires = excluded.expires`,
  )
  const insert = command(
    database,
    `insert into artifact ${columns} values (?, ?, ?, ?, ?, ?) on conflict do nothing`,
  )
  const find = query<Row>(
    database,
    `select payload, consumed from artifact where model = :model and key = :key and ${isLive}`,
  )
  const findByUid = query<Row>(
    database,
    `select payload, consumed from artifact where uid = :uid and model = :model and ${isLive}`,
  )
  const consume = command(
    database,
    'update artifact set consumed = ? where model = ? and key = ? and consumed is null and expires > ?',
  )
  const release = command(
    database,
    'update artifact set consumed = null where model = ? and key = ? and consumed = ?',
  )
  const remove = command(database, 'delete from artifact where model = ? and key = ?')
  const removeByGrant = command(database, 'delete from artifact where grant_id = ? and model <> ?')

  return {
    async put(model, key, { grantId, uid, payload, expires }, { epochMilliseconds: now }) {
      await write(() => {
        purge.run(now)
        // A replacement of an expired artifact is a new one.
        removeExpired.run(model, key, now)
        put.run(model, key, grantId ?? null, uid ?? null, payload, expires.epochMilliseconds)
      })
    },
    async add(model, key, { grantId, uid, payload, expires }, { epochMilliseconds: now }) {
      const values = [model, key, grantId ?? null, uid ?? null, payload, expires.epochMilliseconds]
      return write(() => {
        purge.run(now)
        removeExpired.run(model, key, now)
        return insert.run(...values).changes === 1
      })
    },
    async find(model, key, { epochMilliseconds: now }) {
      return toStored(find.first({ model, key, now }))
    },
    async findByUid(model, uid, { epochMilliseconds: now }) {
      return toStored(findByUid.first({ model, uid, now }))
    },
    async consume(model, key, { epochMilliseconds: now }) {
      return write(() => consume.run(now, model, key, now).changes === 1)
    },
    async release(model, key, { epochMilliseconds: consumed }) {
      await write(() => release.run(model, key, consumed))
    },
    async remove(model, key) {
      return write(() => remove.run(model, key).changes === 1)
    },
    async removeByGrant(grantId, kept) {
      await write(() => removeByGrant.run(grantId, kept))
    },
  }
}

function toStored(row: Row | undefined) {
  if (!row) return undefined
  const { payload, consumed } = row
  if (consumed === null) return { payload }
  return { payload, consumed: Temporal.Instant.fromEpochMilliseconds(consumed) }
}
