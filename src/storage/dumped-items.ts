import type { AccountKind } from '../contract/index.ts'
import type { DumpedItem } from '../intake/writer.ts'
import type { EntryList } from '../provider/store.ts'
import { kindCodes, kindName, kindOfList, targetCodes } from './enum-codes.ts'
import { currentVersions } from './platform/product-rows.ts'

type Rows<Row> = Iterable<Row> | AsyncIterable<Row>

/** Everything in the store as the items of a load, in an order that depends only on the content. */
export async function* dumpItems(
  read: <Row>(sql: string) => Rows<Row>,
  accounts: Rows<DumpedItem>,
): AsyncGenerator<DumpedItem> {
  for await (const row of read<DumpedCustomer>(selectCustomers)) yield dumpCustomer(row)
  yield* accounts
  for await (const row of read<DumpedRestriction>(selectRestrictions)) yield dumpRestriction(row)
  for await (const row of read<DumpedProduct>(selectProducts)) yield { type: 'product', ...row }
}

/** Everything but placeholders. */
const selectCustomers = `select id, emails, record, email_hash, name_hash from customer
  where record is not null or email_hash is not null order by id`

const selectRestrictions = `
  select r.record, case r.target when ${targetCodes.account} then a.head is null
    else c.record is null end as unresolved
  from restriction r left join account a on r.target = ${targetCodes.account} and a.id = r.id
  left join customer c on r.target = ${targetCodes.customer} and c.id = r.id
  order by r.target, r.id`

interface DumpedRestriction {
  readonly record: string
  readonly unresolved: boolean | number
}

function dumpRestriction({ record, unresolved }: DumpedRestriction): DumpedItem {
  return { type: 'restriction', record, isUnresolved: Boolean(unresolved) }
}

/** The present versions, without the history. */
const selectProducts = `select v.record, v.last_updated as "lastUpdated", v.origin
  from ${currentVersions} order by p.id`

type DumpedProduct = Omit<Extract<DumpedItem, { readonly type: 'product' }>, 'type'>

interface DumpedCustomer {
  readonly id: string
  readonly emails: string | null
  readonly record: string | null
  readonly email_hash: string | null
  readonly name_hash: string | null
}

function dumpCustomer(customer: DumpedCustomer): DumpedItem {
  const { id, emails, record, email_hash, name_hash } = customer
  if (record !== null) return { type: 'customer', emails: JSON.parse(emails ?? '[]'), record }
  const person = { email: email_hash ?? '', name: name_hash ?? '' }
  return { type: 'removal', of: 'customer', id, person }
}

export interface DumpedAccount {
  readonly id: string
  /** 0 for a placeholder, of which only lines that refer to it are dumped. */
  readonly kind: number
  readonly head: string | null
  readonly tail: string | null
  readonly is_owned_text: string | null
  readonly holders: readonly DumpedHolder[]
  readonly balance: string | null | undefined
  readonly contact: { kind: number; status: string; record: string } | null | undefined
}

interface DumpedHolder {
  readonly customerId: string
  readonly isOwned: boolean
  readonly isPresent: boolean
}

/** The items of an account before its entries. Lines that refer to what does not exist say so. */
export function* dumpAccount(account: DumpedAccount): Generator<DumpedItem> {
  const { id, kind, head, tail, holders } = account
  if (head !== null) {
    yield {
      type: 'account',
      kind: kindName(kind),
      holders: holders.map(({ customerId, isOwned }) => ({ customerId, isOwned })),
      head,
      tail: tail ?? '',
      isOwnedText: account.is_owned_text ?? undefined,
      isUnresolved: holders.some(({ isPresent }) => !isPresent),
    }
  }
  // Before everything else, as a deletion may follow it.
  if (head === null) yield* dumpContact(account)
  if (typeof account.balance === 'string') {
    const isUnresolved = kind !== kindCodes.banking
    yield { type: 'balance', accountId: id, record: account.balance, isUnresolved }
  }
  if (head !== null) yield* dumpContact(account)
}

/** A contact that was deleted with an account of one kind still belongs to one of the other kind. */
function* dumpContact({ id, head, contact }: DumpedAccount): Generator<DumpedItem> {
  if (!contact) return
  const { kind, status, record } = contact
  yield { type: 'contact', accountId: id, status, record, isUnresolved: head === null }
  if (head !== null || kind === 0) return
  const deleted: AccountKind = kind === kindCodes.banking ? 'energy' : 'banking'
  yield { type: 'removal', of: 'account', kind: deleted, accountId: id }
}

/** Whether an entry of a list is invisible in an account of a kind. */
export function isUnresolvedEntry(list: EntryList, kind: number): boolean {
  return kindOfList(list) !== kind
}
