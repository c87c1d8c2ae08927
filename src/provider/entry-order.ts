import { createHash } from 'node:crypto'
import type { BankingTransaction } from '../contract/index.ts'

/** What the entries of a list are ordered by: the time, newest first, and then the key. */
export interface EntryOrder {
  readonly time: bigint
  readonly id: string
}

export function newestFirst(a: EntryOrder, b: EntryOrder): number {
  if (a.time !== b.time) return a.time > b.time ? -1 : 1
  return compareBytes(a.id, b.id)
}

/** The order of texts as UTF-8, which is that of the databases. */
export function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

/** The effective time of a transaction, if the record states it. */
export function transactionTime({
  postingDateTime,
  executionDateTime,
}: BankingTransaction): string | undefined {
  return postingDateTime ?? executionDateTime
}

/** Prefixes that keep the two kinds of key distinct: an explicit id, or a digest of the record. */
const explicitPrefix = 'id:'
const contentPrefix = 'content:'

/** The key of a direct debit or a billing transaction: its id, or else its content. Identical records without an id are one record. */
export function createKey(id: string | undefined, record: unknown): string {
  if (id !== undefined) return explicitPrefix + id
  const digest = createHash('sha256').update(JSON.stringify(record)).digest('base64url')
  return contentPrefix + digest
}

/** The id of a key, or undefined for a key made from content. */
export function parseExplicitKey(key: string): string | undefined {
  return key.startsWith(explicitPrefix) ? key.slice(explicitPrefix.length) : undefined
}
