import type { Actor } from '../../contract/index.ts'
import { type Idempotency, idempotencyMs, type UsedKey } from '../../platform/catalogue/store.ts'
import { integer, type Transaction, text } from '../sql.ts'
import { insert } from './rows.ts'

/** Uses the key of a request for a new product, if it has one. Returns the earlier product if the key was already used. */
export async function useIdempotencyKey(
  transaction: Transaction,
  { id, issuer }: Actor,
  idempotency: Idempotency | undefined,
  first: UsedKey,
): Promise<UsedKey | 'keyReused'> {
  if (!idempotency) return first
  const { key, digest } = idempotency
  const { product, created } = first
  // A subject may be the id of an API client.
  const client = issuer === undefined ? id : `${issuer} ${id}`
  await transaction.run('delete from idempotency where created < $1', [created - idempotencyMs])
  // Waits for a concurrent transaction that uses the same key.
  const row = { client, key, digest, product, created }
  const use = insert('idempotency', row, 'on conflict do nothing')
  if (await transaction.changes(...use)) return first
  const used = await transaction.first(
    { digest: text, product: text, created: integer },
    'select digest, product, created from idempotency where client = $1 and key = $2',
    [client, key],
  )
  if (used?.digest !== digest) return 'keyReused'
  return { product: used.product, created: used.created }
}
