import type { DatabaseSync } from 'node:sqlite'
import { type Idempotency, idempotencyMs, type UsedKey } from '../../../platform/catalogue/store.ts'
import { command, query } from '../driver/statements.ts'

/** The keys of requests that create a product or a draft. The caller opens the transaction. */
export function openIdempotencyKeys(database: DatabaseSync) {
  const used = query<UsedKey & { digest: string }>(
    database,
    'select digest, product, created from idempotency where client = ? and key = ?',
  )
  const insert = command(database, 'insert into idempotency values (?, ?, ?, ?, ?)')
  const deleteExpired = command(database, 'delete from idempotency where created < ?')

  return {
    /** Uses the key for a new product. Returns the earlier product if the key was already used. */
    use(
      client: string,
      { key, digest }: Idempotency,
      { product, created }: UsedKey,
    ): UsedKey | 'keyReused' {
      deleteExpired.run(created - idempotencyMs)
      const earlier = used.first(client, key)
      if (earlier) return earlier.digest === digest ? earlier : 'keyReused'
      insert.run(client, key, digest, product, created)
      return { product, created }
    },
  }
}
