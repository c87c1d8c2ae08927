/** One load or group of batches at a time checks and merges: the next one sees what it committed. */
const key = `hashtext('holdfast load')`
const takeLock = `pg_advisory_xact_lock(${key})`
export const lock = `select ${takeLock}`

/** Takes another lock after it. */
export const lockBefore = (other: string) => `select ${takeLock}, ${other}`

/** Returns a row if no other load has the lock. */
export const tryLock = `select 1 where pg_try_advisory_xact_lock(${key})`

/** For a session instead of a transaction, which must not have a snapshot before it has the lock. */
export const lockSession = `select pg_advisory_lock(${key})`
export const unlockSession = `select pg_advisory_unlock(${key})`
