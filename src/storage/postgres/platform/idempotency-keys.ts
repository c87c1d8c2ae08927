import { type Idempotency, idempotencyMs, type UsedKey } from '../../../platform/catalogue/store.ts'
import { escapeNul } from '../driver/escape-nul.ts'
import type { Query } from '../driver/statements.ts'

const insert = {
  name: 'use-key',
  text: 'insert into idempotency values ($1, $2, $3, $4, $5) on conflict do nothing returning 1',
}
const used = {
  name: 'used-key',
  text: 'select digest, product, created from idempotency where client = $1 and key = $2',
}
const deleteExpired = {
  name: 'delete-expired-keys',
  text: 'delete from idempotency where created < $1',
}

/** Uses the key for a new product. Returns the earlier product if the key was already used. */
export async function useIdempotencyKey(
  query: Query,
  client: string,
  { key, digest }: Idempotency,
  { product, created }: UsedKey,
): Promise<UsedKey | 'keyReused'> {
  const name = [escapeNul(client), escapeNul(key)] as const
  await query(deleteExpired, [created - idempotencyMs])
  // Waits for a concurrent transaction that uses the same key.
  const isFirst = (await query(insert, [...name, digest, product, created])).length === 1
  if (isFirst) return { product, created }
  const [[usedWith, earlier, at] = []] = await query(used, name)
  return usedWith === digest ? { product: earlier ?? '', created: Number(at) } : 'keyReused'
}
