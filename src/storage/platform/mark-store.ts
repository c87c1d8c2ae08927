import type { MarkStore, StartedRole } from '../../platform/history/mark-store.ts'
import { integer, oneOf, type Sql, text } from '../sql.ts'
import { forgetOldest } from '../status-store.ts'

const loadColumns = 'committed, created, changed, unchanged, deleted'

export function createMarkStore(sql: Sql): MarkStore {
  return {
    async addStart({ minute, role, version }) {
      await sql.inOrder(
        [
          `insert into recent_start (minute, role, processes, version) values ($1, $2, 1, $3)
           on conflict (minute, role) do update set
             processes = recent_start.processes + 1, version = excluded.version`,
          [minute, role, version],
        ],
        [forgetOldest('recent_start', 'minute')],
      )
    },
    listStarts: ({ start, end }) =>
      sql.all(
        { minute: integer, role: oneOf<StartedRole>(), processes: integer, version: text },
        `select minute, role, processes, version from recent_start
         where minute >= $1 and minute < $2 order by minute, role`,
        [start, end],
      ),
    listLoads: ({ start, end }) =>
      sql.all(
        {
          committed: integer,
          created: integer,
          changed: integer,
          unchanged: integer,
          deleted: integer,
        },
        `select ${loadColumns} from recent_load
         where committed >= $1 and committed < $2 order by committed`,
        [start, end],
      ),
    close: () => sql.close(),
  }
}
