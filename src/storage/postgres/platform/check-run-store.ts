import { checkRunsMax } from '../../../contract/index.ts'
import {
  type CheckRunStore,
  noProgress,
  type StoredRun,
} from '../../../platform/check-runs/store.ts'
import type { DatabaseOptions } from '../../database.ts'
import { escapeNul, unescapeNul } from '../driver/escape-nul.ts'
import { openPool } from '../driver/pool.ts'
import { inTransaction, runStatement } from '../driver/statements.ts'

const columns = 'id, state, profile, check_groups, started_by, started, updated, progress, error'
const list = {
  name: 'list-checks',
  text: `select ${columns} from check_run order by sequence desc limit ${checkRunsMax}`,
}
const read = {
  name: 'read-check',
  text: `select ${columns}, report from check_run where id = $1`,
}
const running = {
  name: 'running-check',
  text: `select id from check_run where state = 'running'`,
}
const interruptLost = {
  name: 'interrupt-checks',
  text: `update check_run set state = 'interrupted' where state = 'running' and updated < $1`,
}
/** Waits for a concurrent transaction that starts a run: there is one running row at most. */
const insert = {
  name: 'start-check',
  text: `insert into check_run (${columns}) values ($1, 'running', $2, $3, $4, $5, $5, $6, null)
    on conflict (state) where state = 'running' do nothing returning 1`,
}
const removeOldest = {
  name: 'remove-checks',
  text: `delete from check_run where id not in
    (select id from check_run order by sequence desc limit ${checkRunsMax})`,
}
const update = {
  name: 'update-check',
  text: `update check_run set progress = $2, updated = $3
    where id = $1 and state = 'running' returning 1`,
}
const end = {
  name: 'end-check',
  text: `update check_run set progress = $2, updated = $3, state = $4, error = $5, report = $6
    where id = $1 and state = 'running'`,
}

/** A run may end between the attempt to start another one and the search for it. */
const attemptsMax = 3

export async function openPostgresCheckRunStore(
  database: string,
  options: DatabaseOptions,
): Promise<CheckRunStore> {
  const pool = await openPool(database, 'write', options)

  return {
    async start({ id, profile, groups, startedBy, startedAt }, aliveSince) {
      const groupList = groups ? JSON.stringify(groups) : null
      const progress = JSON.stringify(noProgress)
      for (let attempt = 1; ; attempt += 1) {
        const [[other] = []] = await inTransaction(pool, async (query) => {
          await query(interruptLost, [aliveSince])
          const values = [id, profile, groupList, escapeNul(startedBy), startedAt, progress]
          if ((await query(insert, values)).length === 0) return query(running, [])
          await query(removeOldest, [])
          return [[id]]
        })
        if (other === id) return undefined
        if (other) return other
        if (attempt === attemptsMax)
          throw new Error('a run neither started nor was another running')
      }
    },
    async update(id, progress, now) {
      return (await runStatement(pool, update, [id, JSON.stringify(progress), now])).length === 1
    },
    async end(id, { state, progress, error, report }, now) {
      const values = [id, JSON.stringify(progress), now, state, error ?? null, report ?? null]
      await runStatement(pool, end, values)
    },
    async list() {
      return (await runStatement(pool, list, [])).map(toStoredRun)
    },
    async read(id) {
      const [row] = await runStatement(pool, read, [escapeNul(id)])
      return row && { ...toStoredRun(row), report: row.at(-1) ?? undefined }
    },
    async close() {
      await pool.end()
    },
  }
}

function toStoredRun(row: readonly (string | null)[]): StoredRun {
  const [id, state, profile, groups, startedBy, started, updated, progress, error] = row
  return {
    id: id ?? '',
    state: state as StoredRun['state'],
    profile: profile as StoredRun['profile'],
    groups: groups ? JSON.parse(groups) : undefined,
    startedBy: unescapeNul(startedBy ?? ''),
    startedAt: Number(started),
    updatedAt: Number(updated),
    progress: JSON.parse(progress ?? ''),
    error: error ?? undefined,
  }
}
