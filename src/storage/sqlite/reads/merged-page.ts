import type { DatabaseSync } from 'node:sqlite'
import type { JsonText } from '../../../contract/index.ts'
import type { EntriesOfAccountsQuery, Missing, Page } from '../../../provider/store.ts'
import { anyRestriction, restriction } from '../../account-statements.ts'
import { kindOfList, listCodes } from '../../enum-codes.ts'
import { toMissing, toPage } from '../../provider-store.ts'
import { pageValues, requestedAccounts, windowValues } from '../../request-values.ts'
import { dialect } from '../driver/sql.ts'
import { prepareOn } from '../driver/statements.ts'
import { listOfAccount, selectNewest, selectOldest } from '../entry-position.ts'
import { joinedRecords } from './entry-ranges.ts'

/** Up to this many keys, a page of merged lists is read in one statement. */
const oneStatementKeysMax = 2000

/** Whether a page of several accounts can be read in one statement, without blocking other requests for long. */
export function isShortMerge(request: EntriesOfAccountsQuery): boolean {
  const { accountIds, filters, window, page, pageSize } = request
  const { openStatus, productCategory, isOwned } = filters
  return (
    window !== undefined &&
    accountIds.length > 0 &&
    accountIds.length * page * pageSize <= oneStatementKeysMax &&
    openStatus === 'ALL' &&
    productCategory === undefined &&
    isOwned === undefined
  )
}

/** A page of merged lists in one statement. Undefined if the customer or an account is not found. */
export function openMergedPage(database: DatabaseSync) {
  const { query } = prepareOn(database)
  const mergedPage = joinedRecords((joined) =>
    query<
      readonly [
        found: number,
        restricted: string | null,
        total: number | null,
        records: JsonText | null,
      ]
    >(
      // A parameter as the limit would make SQLite prepare the statement again for every execution.
      `with found as materialized (
       select a.id, ${listOfAccount('?4')} as list
       from json_each(?2) requested cross join account a on a.id = requested.value
         cross join holder h on h.account = a.number
       where a.kind = ?3 and a.head is not null
         and h.customer = (select number from customer where id = ?1 and record is not null)),
     bounds as materialized (
       select id,
         (${selectOldest('position', 'found.list', '?5')}) as first,
         (${selectNewest('position', 'found.list', '?6')}) as last
       from found)
     select (select count(*) from found),
       coalesce(${restriction(dialect, 'customer', '?1')}, ${anyRestriction(dialect)}), (select sum(max(0, last - first + 1)) from bounds),
       (select ${joined} from
         (select record from
           (select e.position as position
            from bounds b
              cross join entry e on e.position
                between max(b.first, b.last - cast(?7 + ?8 as integer) + 1) and b.last
            order by e.time desc, e.id, b.id limit ?8 + 0 offset ?7 + 0) wanted
          cross join entry on entry.position = wanted.position))`,
      { lists: true },
    ),
  )
  return (request: EntriesOfAccountsQuery): Page<JsonText> | Missing | undefined => {
    const { list, window, pageSize } = request
    const [customerId, accountIds] = requestedAccounts(request)
    const [found, restricted, ...page] = mergedPage(pageSize).first(
      customerId,
      JSON.stringify(accountIds),
      kindOfList(list),
      listCodes[list],
      ...windowValues(window),
      ...pageValues(request),
    ) ?? [0]
    return found < accountIds.length ? undefined : (toMissing(restricted) ?? toPage(page))
  }
}
