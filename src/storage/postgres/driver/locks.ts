import type { LockName } from '../../sql.ts'

const products = `hashtext('holdfast products')`
const feeds = `hashtext('holdfast feeds')`
const load = `hashtext('holdfast load')`

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

/** One load or group of batches at a time checks and merges: the next one sees what it committed. */
export const lockLoads = `select pg_advisory_xact_lock(${load})`
export const lockLoadsAndShareFeeds = `${lockLoads}, pg_advisory_xact_lock_shared(${feeds})`

/** Returns a row if no other load has the lock. */
export const tryLockLoads = `select 1 where pg_try_advisory_xact_lock(${load})`

/** For a session instead of a transaction, which must not have a snapshot before it has the lock. */
export const lockSession = `select pg_advisory_lock(${load})`
export const unlockSession = `select pg_advisory_unlock(${load})`
