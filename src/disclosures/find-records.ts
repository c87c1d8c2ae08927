import { setImmediate } from 'node:timers/promises'
import { parseRecords, type StoredDisclosureRecord } from './record.ts'
import type { BlockQuery, DisclosureRecordStore, Position } from './store.ts'

/** How many blocks are read at once. The event loop of a server is free in between. */
const blocksMax = 50

export interface RecordQuery extends Omit<BlockQuery, 'limit'> {
  readonly thirdPartyId?: string | undefined
}

/** The records that a query selects, block by block in order of time, with the position of their block. */
export async function* findRecords(
  store: Pick<DisclosureRecordStore, 'list'>,
  { thirdPartyId, after, ...query }: RecordQuery,
): AsyncGenerator<readonly [StoredDisclosureRecord[], Position]> {
  const { customerId, interactionId } = query
  const id = customerId ?? interactionId ?? thirdPartyId
  const isSelected = (record: StoredDisclosureRecord): boolean =>
    (customerId === undefined || record.customerId === customerId) &&
    (interactionId === undefined || record.interactionId === interactionId) &&
    (thirdPartyId === undefined || record.thirdPartyId === thirdPartyId)
  for (let last = after; ; ) {
    const blocks = await store.list({ ...query, after: last, limit: blocksMax })
    for (const block of blocks) yield [parseRecords(block, id).filter(isSelected), block]
    last = blocks.at(-1)
    if (blocks.length < blocksMax) return
    await setImmediate()
  }
}
