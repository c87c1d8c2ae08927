import type { AccountKind, Problem, RestrictionReason } from '../contract/index.ts'
import type { ProductContent } from '../platform/catalogue/store.ts'
import type { EntryList } from '../provider/store.ts'
import type { LineCounts } from './line-counts.ts'

/**
 * What a load needs from a database. Everything between two commits becomes visible to readers atomically. Items apply
 * in their order, and may refer to what does not exist yet: they are stored, and invisible until it exists.
 */
export interface ProviderWriter {
  /** Writes items in order; returns the errors that can be detected immediately. */
  write(items: readonly LocatedItem[]): Promise<LineError[]>
  /** The remaining errors of the items since the last commit. Called before each commit and at the end. */
  findErrors(): Iterable<LineError> | AsyncIterable<LineError>
  /**
   * The items of the load, in order, that refer to an account or a customer that does not exist after the last item. An
   * item before the deletion of its account is deleted with it, and is not among them.
   */
  findUnresolved(): Iterable<LineError> | AsyncIterable<LineError>
  /**
   * Counts what is missing after the last item, among the accounts that the load has put, or has deleted a balance or a
   * contact of. Those of discarded items do not count.
   */
  countGaps(): Promise<AccountGaps>
  /** Makes everything written visible to readers, with every list sorted. Returns what the lines did. */
  commit(): Promise<LineCounts>
  /** Discards everything since the last commit. */
  rollback(): Promise<void>
  close(): Promise<void>
}

export interface AccountGaps {
  /** Bank accounts. */
  readonly withoutBalance: number
  readonly withoutContact: number
}

export interface WriterOptions {
  /** The effective time of transactions that have none. */
  readonly loadTime: Temporal.Instant
  /** Whether the load commits more than once. */
  readonly inBatches?: boolean
  /** Whether items may arrive slowly, as from a pipe: the writer then takes no lock before the commit. */
  readonly isSlow?: boolean
  /** Called once per noticeable wait for another load. */
  readonly onWait?: (() => void) | undefined
  /** Aborts waiting and merging, and discards what is not committed. */
  readonly signal?: AbortSignal | undefined
}

/**
 * `file` is an index into the list of files, `line` starts at 1. A row of a table may become several lines, which are
 * numbered by `part` from 0.
 */
export interface SourceLocation {
  readonly file: number
  readonly line: number
  readonly part?: number
}

export interface LineProblem extends Problem {
  /** The field is in no schema of the record: a load can leave it out. */
  readonly isUnknownField?: true
  /** Explains the reason with values, which may be personal data. */
  readonly detail?: string
  /** The rest of the source was not read: valid lines may be missing. */
  readonly endsSource?: true
}

export interface LineError extends SourceLocation, LineProblem {
  /** The account or the customer that the line refers to and that does not exist. */
  readonly missing?: Reference
  /** The line is stored all the same, and invisible until it exists. */
  readonly isStored?: true
}

export interface Reference {
  readonly type: 'account' | 'customer'
  /** The kind of account that the line requires. Undefined for a customer, and if either is valid. */
  readonly kind?: AccountKind
  readonly id: string
}

export type LocatedItem = Item & SourceLocation

export type Item = (
  | CustomerItem
  | AccountItem
  | BalanceItem
  | ContactItem
  | EntryItem
  | RestrictionItem
  | ProductItem
  | RemovalItem
) & {
  /** Data that was wrong is corrected: a commit that changes it lists the correction. */
  readonly isCorrection?: true
}

export interface CustomerItem {
  readonly type: 'customer'
  readonly id: string
  readonly name: string
  readonly email: string | undefined
  /** Further addresses that find the customer, of people who may act for it. */
  readonly emails: readonly string[]
  readonly record: string
  /** The JSON that a search by e-mail returns. */
  readonly match: string
}

export interface AccountItem {
  readonly type: 'account'
  readonly id: string
  readonly kind: AccountKind
  readonly holders: readonly { readonly customerId: string; readonly isOwned: boolean }[]
  readonly isOpen: boolean
  readonly productCategory: string | undefined
  /** Nanoseconds since 1970; accounts without it are sorted last. */
  readonly created: bigint | undefined
  /** The record's text before and after the value of `isOwned`, which depends on the requesting customer. */
  readonly head: string
  readonly tail: string
  /** The value of `isOwned` in the record, if present. */
  readonly isOwnedText: string | undefined
  /** The record of an energy account as E2 returns it, if it differs: without its users. */
  readonly detail: string | undefined
  /** The JSON that the consent flow returns. */
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
  /** If undefined, the time of the entry that it replaces, or else the load time. */
  readonly time: bigint | undefined
  /** Whether the time is a field of the record, not of the envelope or assigned by the load. */
  readonly hasOwnTime: boolean
  readonly record: string
  /** Search fields; the texts are case-folded. */
  readonly amount?: string
  readonly description?: string | undefined
  readonly reference?: string | undefined
}

/** What a restriction is of. */
export type RestrictionTarget = 'account' | 'customer'

export interface RestrictionItem {
  readonly type: 'restriction'
  readonly of: RestrictionTarget
  readonly id: string
  readonly reason: RestrictionReason
  /** Milliseconds since 1970. Undefined if it has no end. */
  readonly until: bigint | undefined
  readonly record: string
}

export interface ProductItem {
  readonly type: 'product'
  readonly id: string
  readonly content: ProductContent
  readonly record: string
  /** Undefined if the record has none: the load time is used. */
  readonly lastUpdated: string | undefined
  /** The data holder that the product was imported from. */
  readonly origin: string | undefined
}

/** Deleting something that does not exist has no effect. Deleting an account deletes everything in it, except its restriction. */
export interface RemovalItem {
  readonly type: 'removal'
  readonly of:
    | 'customer'
    | 'account'
    | 'balance'
    | 'contact'
    | 'restriction'
    | 'product'
    | EntryList
  readonly kind?: AccountKind
  /** Absent for a customer, a product and the restriction of a customer. */
  readonly accountId?: string
  readonly id?: string
  /** Digests of the e-mail and name of a deleted customer: they reserve the id for the same person. */
  readonly person?: { readonly email: string; readonly name: string }
}

/** Whether an item creates, changes or deletes a product. */
export function isProduct(item: Item): boolean {
  return item.type === 'product' || (item.type === 'removal' && item.of === 'product')
}

/** Whether the item refers to what does not exist. */
interface Referring {
  readonly isUnresolved: boolean
}

/** The parts of an item that a dump needs: a load derives the rest from the record. */
export type DumpedItem =
  | Pick<CustomerItem, 'type' | 'emails' | 'record'>
  | (Pick<AccountItem, 'type' | 'kind' | 'holders' | 'head' | 'tail' | 'isOwnedText'> & Referring)
  | (BalanceItem & Referring)
  | (ContactItem & Referring)
  | (Pick<RestrictionItem, 'type' | 'record'> & Referring)
  | (Pick<EntryItem, 'type' | 'list' | 'id' | 'record'> & Referring & { readonly time: bigint })
  | {
      readonly type: 'product'
      readonly record: string
      readonly lastUpdated: string
      readonly origin: string | null
    }
  | RemovalItem
