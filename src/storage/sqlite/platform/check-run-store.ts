import { checkRunsMax } from '../../../contract/index.ts'
import {
  type CheckRunStore,
  noProgress,
  type StoredRun,
} from '../../../platform/check-runs/store.ts'
import { openDatabase } from '../driver/open.ts'
import { command, query } from '../driver/statements.ts'
import { openWriteQueue } from '../driver/write-queue.ts'

interface Row {
  readonly id: string
  readonly state: StoredRun['state']
  readonly profile: StoredRun['profile']
  readonly check_groups: string | null
  readonly started_by: string
  readonly started: number
  readonly updated: number
  readonly progress: string
  readonly error: string | null
}

export function openSqliteCheckRunStore(path: string): CheckRunStore {
  const database = openDatabase(path, 'write')
  const write = openWriteQueue(database)
  const columns = 'id, state, profile, check_groups, started_by, started, updated, progress, error'
  const list = query<Row>(
    database,
    `select ${columns} from check_run order by sequence desc limit ${checkRunsMax}`,
  )
  const read = query<Row & { readonly report: string | null }>(
    database,
    `select ${columns}, report from check_run where id = ?`,
  )
  const running = query<{ id: string }>(
    database,
    `select id from check_run where state = 'running'`,
  )
  const interruptLost = command(
    database,
    `update check_run set state = 'interrupted' where state = 'running' and updated < ?`,
  )
  const insert = command(
    database,
    `insert into check_run (${columns})
     values (?1, 'running', ?2, ?3, ?4, ?5, ?5, ?6, null)`,
  )
  const removeOldest = command(
    database,
    `delete from check_run where id not in
       (select id from check_run order by sequence desc limit ${checkRunsMax})`,
  )
  const update = command(
    database,
    `update check_run set progress = ?2, updated = ?3 where id = ?1 and state = 'running'`,
  )
  const end = command(
    database,
    `update check_run set progress = ?2, updated = ?3, state = ?4, error = ?5, report = ?6
     where id = ?1 and state = 'running'`,
  )

  return {
    start({ id, profile, groups, startedBy, startedAt }, aliveSince) {
      return write(() => {
        interruptLost.run(aliveSince)
        const other = running.first()
        if (other) return other.id
        const groupList = groups ? JSON.stringify(groups) : null
        insert.run(id, profile, groupList, startedBy, startedAt, JSON.stringify(noProgress))
        removeOldest.run()
        return undefined
      })
    },
    update(id, progress, now) {
      return write(() => update.run(id, JSON.stringify(progress), now).changes === 1)
    },
    async end(id, { state, progress, error, report }, now) {
      await write(() =>
        end.run(id, JSON.stringify(progress), now, state, error ?? null, report ?? null),
      )
    },
    async list() {
      return list.all().map(toStoredRun)
    },
    async read(id) {
      const row = read.first(id)
      return row && { ...toStoredRun(row), report: row.report ?? undefined }
    },
    async close() {
      database.close()
    },
  }
}

function toStoredRun(row: Row): StoredRun {
  return {
    id: row.id,
    state: row.state,
    profile: row.profile,
    groups: row.check_groups === null ? undefined : JSON.parse(row.check_groups),
    startedBy: row.started_by,
    startedAt: row.started,
    updatedAt: row.updated,
    progress: JSON.parse(row.progress),
    error: row.error ?? undefined,
  }
}
