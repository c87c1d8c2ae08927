import { checkRunsMax } from '../../contract/index.ts'
import { type CheckRunStore, noProgress, type StoredRun } from '../../platform/check-runs/store.ts'
import { integer, json, oneOf, optional, type Sql, text } from '../sql.ts'
import { insert } from './rows.ts'

const columns = 'id, state, profile, check_groups, started_by, started, updated, progress, error'
const run = {
  id: text,
  state: oneOf<StoredRun['state']>(),
  profile: oneOf<StoredRun['profile']>(),
  groups: optional(json<NonNullable<StoredRun['groups']>>()),
  startedBy: text,
  startedAt: integer,
  updatedAt: integer,
  progress: json<StoredRun['progress']>(),
  error: optional(text),
}

/** There is one running row at most, which may be that of a concurrent transaction. */
const onRunning = `on conflict (state) where state = 'running' do update set state = excluded.state
  returning id`

/** In the order in which runs were started: the clock may have been set back. */
const newest = `order by sequence desc limit ${checkRunsMax}`

export function createCheckRunStore(sql: Sql): Omit<CheckRunStore, 'close'> {
  return {
    start({ id, profile, groups, startedBy, startedAt }, aliveSince) {
      const checkGroups = groups && JSON.stringify(groups)
      const progress = JSON.stringify(noProgress)
      const times = { started: startedAt, updated: startedAt }
      const row = { id, state: 'running', profile, checkGroups, startedBy, ...times, progress }
      return sql.transaction(async (transaction) => {
        await transaction.run(
          `update check_run set state = 'interrupted' where state = 'running' and updated < $1`,
          [aliveSince],
        )
        const running = await transaction.first(
          { id: text },
          ...insert('check_run', row, onRunning),
        )
        if (running?.id !== id) return running?.id
        await transaction.run(
          `delete from check_run where id not in (select id from check_run ${newest})`,
        )
        return undefined
      })
    },
    update: (id, progress, now) =>
      sql.changes(
        `update check_run set progress = $2, updated = $3 where id = $1 and state = 'running'`,
        [id, JSON.stringify(progress), now],
      ),
    async end(id, { state, progress, error, report }, now) {
      await sql.run(
        `update check_run set progress = $2, updated = $3, state = $4, error = $5, report = $6
         where id = $1 and state = 'running'`,
        [id, JSON.stringify(progress), now, state, error, report],
      )
    },
    list: () => sql.all(run, `select ${columns} from check_run ${newest}`),
    read: (id) =>
      sql.first(
        { ...run, report: optional(text) },
        `select ${columns}, report from check_run where id = $1`,
        [id],
      ),
  }
}
