import type { LockName } from '../../sql.ts'

const products = `hashtext('holdfast products')`
const feeds = `hashtext('holdfast feeds')`

/** The locks of a transaction, with the key as $1. */
export const locks: Readonly<Record<LockName, string>> = {
  /**
   * Serialises the writers of a product, even before its row exists. They share the lock on all products; a load takes
   * it exclusively, because a lock per product would exhaust the server's lock table.
   */
  product: `select pg_advisory_xact_lock_shared(${products}),
    pg_advisory_xact_lock(hashtext('holdfast product'), hashtext($1))`,
  /** A commit of batches shares this lock. */
  feeds: `select pg_advisory_xact_lock(${feeds})`,
}

export const lockAllProducts = `select pg_advisory_xact_lock(${products})`
export const shareFeeds = `pg_advisory_xact_lock_shared(${feeds})`
