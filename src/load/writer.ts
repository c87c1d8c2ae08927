import type { ProductContent } from '../catalogue/store.ts'
import type { Problem } from '../contract/index.ts'
import type { AccountKind, EntryList } from '../provider/store.ts'

/**
 * What a load needs from a database. Everything between two commits happens for readers at
 * once, or not at all. Items come in any order: what they refer to is checked when all are there.
 */
export interface ProviderWriter {
  /** Takes items in order; returns those that are known at once not to be possible. */
  write(items: readonly PlacedItem[]): Promise<Refusal[]>
  /** What else cannot be of the items since the last commit. Asked before each, and at the end. */
  impossible(): Iterable<Refusal> | AsyncIterable<Refusal>
  /** The items that refer to what does not exist, once all are there. None of them is kept. */
  unresolved(): Iterable<Refusal> | AsyncIterable<Refusal>
  /** Shows readers all that was written, with every list in its order. */
  commit(): Promise<void>
  /** Forgets everything since the last commit. */
  rollback(): Promise<void>
  close(): Promise<void>
}

export interface WriterOptions {
  /** What a transaction without a time of its own gets. */
  readonly loadTime: Temporal.Instant
  /** Whether it commits more than once. */
  readonly inBatches?: boolean
  /** Whether items may come slowly: other writers are then not locked out while the next ones are waited for. */
  readonly isSlow?: boolean
  /** Called once for each wait for another load that takes longer than a moment. */
  readonly onWait?: (() => void) | undefined
  /** Ends waiting and merging. What is not committed by then is discarded. */
  readonly signal?: AbortSignal | undefined
}

/** Where an item came from: the file's place in the list of files, and the line in it. */
export interface Place {
  readonly file: number
  readonly line: number
}

export interface Refusal extends Place, Problem {}

export type PlacedItem = Item & Place

export type Item =
  | CustomerItem
  | AccountItem
  | BalanceItem
  | ContactItem
  | EntryItem
  | ProductItem
  | RemovalItem

export interface CustomerItem {
  readonly type: 'customer'
  readonly id: string
  readonly name: string
  readonly email: string
  readonly record: string
  /** What a search by e-mail shows. */
  readonly match: string
}

export interface AccountItem {
  readonly type: 'account'
  readonly id: string
  readonly kind: AccountKind
  readonly holders: readonly { readonly customerId: string; readonly isOwned: boolean }[]
  readonly isOpen: boolean
  readonly productCategory: string | undefined
  /** Nanoseconds since 1970; an account whose creation is not known comes after the others. */
  readonly created: bigint | undefined
  /** The record, cut where `isOwned` belongs. */
  readonly head: string
  readonly tail: string
  /** What the record itself said of it. */
  readonly isOwnedText: string | undefined
  /** The record of an energy account without its users, where that is another text. */
  readonly detail: string | undefined
  /** What the consent flow shows of it. */
  readonly shareable: string
}

export interface BalanceItem {
  readonly type: 'balance'
  readonly accountId: string
  readonly record: string
}

export interface ContactItem {
  readonly type: 'contact'
  readonly accountId: string
  readonly status: string
  readonly record: string
}

export interface EntryItem {
  readonly type: 'entry'
  readonly list: EntryList
  readonly accountId: string
  readonly id: string
  /** Undefined: that of the entry it replaces, else the time of this load. */
  readonly time: bigint | undefined
  /** Whether the time is the record's own, and not given beside it or by a load. */
  readonly hasOwnTime: boolean
  readonly record: string
  /** What a search looks at: an amount, and texts without case. */
  readonly amount?: string
  readonly description?: string | undefined
  readonly reference?: string | undefined
}

export interface ProductItem {
  readonly type: 'product'
  readonly id: string
  readonly content: ProductContent
  readonly record: string
  /** As the record has it; the time of the load where it has none. */
  readonly lastUpdated: string | undefined
}

/** Removing what is not there changes nothing. With an account or a customer goes all that is theirs. */
export interface RemovalItem {
  readonly type: 'removal'
  readonly of: 'customer' | 'account' | 'balance' | 'contact' | 'product' | EntryList
  readonly kind?: AccountKind
  /** Absent for a scheduled payment, whose id is enough. */
  readonly accountId?: string
  readonly id?: string
  /** Digests of the e-mail and name of a customer who is gone: the id stays theirs. */
  readonly person?: { readonly email: string; readonly name: string }
}

/** What a dump needs of an item: the rest is made of the record again when it is loaded. */
export type DumpedItem =
  | Pick<CustomerItem, 'type' | 'record'>
  | Pick<AccountItem, 'type' | 'kind' | 'holders' | 'head' | 'tail' | 'isOwnedText'>
  | BalanceItem
  | ContactItem
  | (Pick<EntryItem, 'type' | 'list' | 'id' | 'record'> & { readonly time: bigint })
  | { readonly type: 'product'; readonly record: string; readonly lastUpdated: string }
  | RemovalItem
