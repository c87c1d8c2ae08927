import type { DumpedItem } from '../../../intake/writer.ts'
import { entryLists } from '../../../provider/store.ts'
import { currentVersions } from '../../current-versions.ts'
import { kindCodes } from '../../enum-codes.ts'
import { openDatabase } from '../driver/open.ts'
import { execute, query } from '../driver/statements.ts'
import { entryPosition, listEnd, listNumber } from '../entry-position.ts'

interface CustomerRow {
  readonly id: string
  readonly record: string | null
  readonly email_hash: string | null
  readonly name_hash: string | null
}

interface AccountRow {
  readonly number: number
  readonly id: string
  readonly kind: number
  readonly head: string
  readonly tail: string
  readonly is_owned_text: string | null
}

/**
 * Everything in the store as the items that a load would write, in an order that depends only on the content: customers,
 * then each account with everything in it, then products.
 */
export function* dumpSqlite(path: string): Generator<DumpedItem> {
  const database = openDatabase(path, 'read')
  try {
    // One snapshot for the whole dump. Every page is read once, so none is mapped into memory.
    execute(database, 'pragma mmap_size = 0; begin')
    yield* customers(database)
    yield* accounts(database)
    yield* products(database)
    database.exec('commit')
  } finally {
    database.close()
  }
}

type Database = ReturnType<typeof openDatabase>

/** The present versions, without the history. */
function* products(database: Database): Generator<DumpedItem> {
  const rows = query<{ record: string; lastUpdated: string; origin: string | null }>(
    database,
    `select v.record, v.last_updated as lastUpdated, v.origin
     from ${currentVersions} order by p.id`,
  )
  for (const row of rows.each()) yield { type: 'product', ...row }
}

function* customers(database: Database): Generator<DumpedItem> {
  const rows = query<CustomerRow>(
    database,
    `select id, record, email_hash, name_hash from customer
     where record is not null or email_hash is not null order by id`,
  )
  for (const { id, record, email_hash, name_hash } of rows.each()) {
    if (record === null) {
      const person = { email: email_hash ?? '', name: name_hash ?? '' }
      yield { type: 'removal', of: 'customer', id, person }
    } else {
      yield { type: 'customer', record }
    }
  }
}

function* accounts(database: Database): Generator<DumpedItem> {
  const rows = query<AccountRow>(
    database,
    `select number, id, kind, head, tail, is_owned_text from account
     where head is not null order by id`,
  )
  const holders = query<{ customerId: string; isOwned: number }>(
    database,
    `select c.id as customerId, h.is_owned as isOwned from holder h
     join customer c on c.number = h.customer where h.account = ? order by c.id`,
  )
  const balance = query<{ record: string }>(
    database,
    'select record from balance where account = ?',
  )
  const contact = query<{ status: string; record: string }>(
    database,
    'select status, record from contact where account = ?',
  )
  const entries = query<{ id: string; time: bigint; record: string }>(
    database,
    'select id, time, record from entry where position > ? and position < ? order by position',
    { bigints: true },
  )

  for (const row of rows.each()) {
    const accountHolders = holders.all(row.number)
    yield {
      type: 'account',
      kind: row.kind === kindCodes.banking ? 'banking' : 'energy',
      holders: accountHolders.map(({ customerId, isOwned }) => ({
        customerId,
        isOwned: isOwned === 1,
      })),
      head: row.head,
      tail: row.tail,
      isOwnedText: row.is_owned_text ?? undefined,
    }
    for (const { record } of balance.all(row.number)) {
      yield { type: 'balance', accountId: row.id, record }
    }
    for (const { status, record } of contact.all(row.number)) {
      yield { type: 'contact', accountId: row.id, status, record }
    }
    for (const list of entryLists) {
      const number = listNumber(row.number, list)
      for (const { id, time, record } of entries.each(entryPosition(number, 0), listEnd(number))) {
        yield { type: 'entry', list, id, time, record }
      }
    }
  }
}
