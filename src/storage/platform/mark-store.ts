import type { MarkStore, StartedRole } from '../../platform/history/mark-store.ts'
import { integer, oneOf, type Sql, text } from '../sql.ts'
import { forgetOldest } from '../status-store.ts'
import { columnsOf, insert } from './rows.ts'
import { load } from './status-store.ts'

const start = { minute: integer, role: oneOf<StartedRole>(), processes: integer, version: text }
const restarted = `on conflict (minute, role) do update set
  processes = recent_start.processes + 1, version = excluded.version`

export function createMarkStore(sql: Sql): Omit<MarkStore, 'close'> {
  return {
    async addStart({ minute, role, version }) {
      await sql.inOrder(
        insert('recent_start', { minute, role, processes: 1, version }, restarted),
        [forgetOldest('recent_start', 'minute')],
      )
    },
    listStarts: (range) =>
      sql.all(
        start,
        `select ${columnsOf(start)} from recent_start
         where minute >= $1 and minute < $2 order by minute, role`,
        [range.start, range.end],
      ),
    listLoads: ({ start, end }) =>
      sql.all(
        load,
        `select ${columnsOf(load)} from recent_load
         where committed >= $1 and committed < $2 order by committed`,
        [start, end],
      ),
  }
}
