import type { DatabaseSync } from 'node:sqlite'
import type { JsonText } from '../../../contract/index.ts'
import type { EntriesQuery, Missing, Page } from '../../../provider/store.ts'
import { restriction } from '../../account-statements.ts'
import { toMissing } from '../../provider-store.ts'
import { listValues } from '../../request-values.ts'
import { dialect } from '../driver/sql.ts'
import { prepareOn } from '../driver/statements.ts'
import { listOfAccount, ordinalMax, selectNewest, selectOldest } from '../entry-position.ts'
import { joinedRecords } from './entry-ranges.ts'

/** The most frequent query, in one statement. Undefined if the customer or the account is not found. */
export function openWindowPage(database: DatabaseSync) {
  const { query } = prepareOn(database)
  const windowPage = joinedRecords((joined) =>
    query<
      readonly [
        restricted: string | null,
        first: number | null,
        last: number | null,
        records: JsonText | null,
      ]
    >(
      // The limit makes SQLite find the bounds once, for less than a materialized table costs.
      `select coalesce(${restriction(dialect, 'customer', '?1')}, ${restriction(dialect, 'account', '?2')}),
       first & ${ordinalMax}, last & ${ordinalMax},
       (select ${joined} from
         (select record from entry
          where position between max(first, last - cast(?7 + ?8 as integer) + 1)
            and last - cast(?7 as integer)
          order by position desc))
     from (
       select
         (${selectOldest('position', listOfAccount('?4'), '?5')}) as first,
         (${selectNewest('position', listOfAccount('?4'), '?6')}) as last
       from account a join holder h on h.account = a.number
       where a.id = ?2 and a.kind = ?3 and a.head is not null
         and h.customer = (select number from customer where id = ?1 and record is not null)
       limit -1 offset 0)`,
      { lists: true },
    ),
  )
  return (request: EntriesQuery): Page<JsonText> | Missing | undefined => {
    const row = windowPage(request.pageSize).first(...listValues(request))
    if (!row) return undefined
    const [restricted, first, last, records] = row
    const missing = toMissing(restricted)
    if (missing) return missing
    const total = first === null || last === null ? 0 : Math.max(0, last - first + 1)
    return { items: records === null ? [] : [records], total }
  }
}
