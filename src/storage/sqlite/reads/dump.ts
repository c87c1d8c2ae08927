import type { DumpedItem } from '../../../intake/writer.ts'
import { entryLists } from '../../../provider/store.ts'
import {
  type DumpedAccount,
  dumpAccount,
  dumpItems,
  isUnresolvedEntry,
} from '../../dumped-items.ts'
import { openDatabase } from '../driver/open.ts'
import { execute, prepareOn } from '../driver/statements.ts'
import { entryPosition, listEnd, listNumber } from '../entry-position.ts'

interface AccountRow extends Omit<DumpedAccount, 'holders' | 'contact'> {
  readonly number: number
}

export async function* dumpSqlite(path: string): AsyncGenerator<DumpedItem> {
  using database = openDatabase(path, 'read')
  // One snapshot for the whole dump. Every page is read once, so none is mapped into memory.
  execute(database, 'pragma mmap_size = 0; begin')
  const statements = prepareOn(database)
  yield* dumpItems(<Row>(sql: string) => statements.query<Row>(sql).each(), accounts(statements))
}

function* accounts({ query }: ReturnType<typeof prepareOn>): Generator<DumpedItem> {
  const rows =
    query<AccountRow>(`select a.number, a.id, a.kind, a.head, a.tail, a.is_owned_text, b.record as balance
     from account a left join balance b on b.account = a.number order by a.id`)
  const holders = query<{
    customerId: string
    isOwned: number
    isPresent: number
  }>(`select c.id as customerId, h.is_owned as isOwned, c.record is not null as isPresent
     from holder h join customer c on c.number = h.customer where h.account = ? order by c.id`)
  const contact = query<NonNullable<DumpedAccount['contact']>>(
    'select kind, status, record from contact where account = ?',
  )
  const entries = query<{ id: string; time: bigint; record: string }>(
    'select id, time, record from entry where position > ? and position < ? order by position',
    { bigints: true },
  )

  for (const row of rows.each()) {
    yield* dumpAccount({
      ...row,
      holders: holders.all(row.number).map(({ customerId, isOwned, isPresent }) => ({
        customerId,
        isOwned: isOwned === 1,
        isPresent: isPresent === 1,
      })),
      contact: contact.first(row.number),
    })
    for (const list of entryLists) {
      const isUnresolved = isUnresolvedEntry(list, row.kind)
      const number = listNumber(row.number, list)
      for (const entry of entries.each(entryPosition(number, 0), listEnd(number))) {
        yield { type: 'entry', list, ...entry, isUnresolved }
      }
    }
  }
}
