import type { DatabaseSync } from 'node:sqlite'
import type { LineOutcome } from '../../../intake/line-counts.ts'
import type { RestrictionItem, RestrictionTarget } from '../../../intake/writer.ts'
import { latestTime, targetCodes } from '../../enum-codes.ts'
import { prepareOn } from '../driver/statements.ts'

/** Restrictions by the ids of accounts and customers, which need not exist. */
export function openRestrictionRows(database: DatabaseSync) {
  const { query, command } = prepareOn(database)
  const find = query<{ record: string }>(
    'select record from restriction where target = ? and id = ?',
  )
  const put = command('insert or replace into restriction values (?, ?, ?, ?, ?)')
  const remove = command('delete from restriction where target = ? and id = ?')

  return {
    put({ of, id, reason, until = latestTime, record }: RestrictionItem): LineOutcome {
      const before = find.first(targetCodes[of], id)
      if (before?.record === record) return 'unchanged'
      put.run(targetCodes[of], id, reason, until, record)
      return before ? 'changed' : 'created'
    },

    remove: (of: RestrictionTarget, id: string): LineOutcome =>
      remove.run(targetCodes[of], id).changes > 0 ? 'deleted' : 'unchanged',
  }
}
