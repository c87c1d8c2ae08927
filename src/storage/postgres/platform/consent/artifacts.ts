import type pg from 'pg'
import type { ArtifactStore } from '../../../../platform/consent/store.ts'
import { runInOrder, runStatement } from '../../driver/statements.ts'
import { createPurge } from './purge-expired.ts'

const isLive = (now: string) => `expires > ${now} and (grant_id is null or exists (
  select from arrangement a join third_party t on t.id = a.third_party
  where a.id = grant_id and a.status = 'active' and a.ends > ${now}))`

const purge = createPurge('artifact', 'model, key', 'expires')
/** A replacement of an expired artifact is a new one. */
const removeExpired = {
  name: 'remove-expired-artifact',
  text: 'delete from artifact where model = $1 and key = $2 and expires <= $3',
}
const insert =
  'insert into artifact (model, key, grant_id, uid, payload, expires) values ($1, $2, $3, $4, $5, $6)'
const put = {
  name: 'put-artifact',
  text: `${insert} on conflict (model, key) do update set grant_id = excluded.grant_id,
    uid = excluded.uid, payload = excluded.payload, expires = excluded.expires`,
}
const add = { name: 'add-artifact', text: `${insert} on conflict do nothing returning 1` }
const find = {
  name: 'find-artifact',
  text: `select payload, consumed from artifact where model = $1 and key = $2 and ${isLive('$3')}`,
}
const findByUid = {
  name: 'find-artifact-by-uid',
  text: `select payload, consumed from artifact where model = $1 and uid = $2 and ${isLive('$3')}`,
}
const consume = {
  name: 'consume-artifact',
  text: `update artifact set consumed = $3
    where model = $1 and key = $2 and consumed is null and expires > $3 returning 1`,
}
const release = {
  name: 'release-artifact',
  text: 'update artifact set consumed = null where model = $1 and key = $2 and consumed = $3',
}
const remove = {
  name: 'remove-artifact',
  text: 'delete from artifact where model = $1 and key = $2 returning 1',
}
const removeByGrant = {
  name: 'remove-artifacts-of-grant',
  text: 'delete from artifact where grant_id = $1 and model <> $2',
}

export function openArtifacts(pool: pg.Pool): ArtifactStore {
  return {
    async put(model, key, { grantId, uid, payload, expires }, { epochMilliseconds: now }) {
      await runInOrder(pool, [
        [removeExpired, [model, key, now]],
        [put, [model, key, grantId ?? null, uid ?? null, payload, expires.epochMilliseconds]],
        [purge, [now]],
      ])
    },
    async add(model, key, { grantId, uid, payload, expires }, { epochMilliseconds: now }) {
      const [, added] = await runInOrder(pool, [
        [removeExpired, [model, key, now]],
        [add, [model, key, grantId ?? null, uid ?? null, payload, expires.epochMilliseconds]],
        [purge, [now]],
      ])
      return added?.length === 1
    },
    async find(model, key, { epochMilliseconds: now }) {
      return toStored(await runStatement(pool, find, [model, key, now]))
    },
    async findByUid(model, uid, { epochMilliseconds: now }) {
      return toStored(await runStatement(pool, findByUid, [model, uid, now]))
    },
    async consume(model, key, { epochMilliseconds: now }) {
      return (await runStatement(pool, consume, [model, key, now])).length === 1
    },
    async release(model, key, { epochMilliseconds: consumed }) {
      await runStatement(pool, release, [model, key, consumed])
    },
    async remove(model, key) {
      return (await runStatement(pool, remove, [model, key])).length === 1
    },
    async removeByGrant(grantId, kept) {
      await runStatement(pool, removeByGrant, [grantId, kept])
    },
  }
}

function toStored([row]: readonly (string | null)[][]) {
  if (!row) return undefined
  const [payload, consumed] = row
  const stored = { payload: payload ?? '' }
  if (consumed == null) return stored
  return { ...stored, consumed: Temporal.Instant.fromEpochMilliseconds(Number(consumed)) }
}
