import { setImmediate } from 'node:timers/promises'
import type { ListedBlock } from './block.ts'
import { type AnswerRecord, type DisclosureRecord, parseRecords, type Stored } from './record.ts'
import type { BlockQuery, DisclosureRecordStore } from './store.ts'

/** How many blocks are read at once. */
const blocksMax = 50

/** How many characters are parsed before the event loop of a server is free: some blocks have few records, and some many. */
const charactersMax = 256 * 1024

export interface RecordQuery extends Omit<BlockQuery, 'limit'> {
  readonly thirdPartyId?: string | undefined
}

/** The records that a query selects, block by block in order of time, with their block. */
export async function* findRecords<Kind extends AnswerRecord = DisclosureRecord>(
  store: Pick<DisclosureRecordStore, 'list'>,
  { thirdPartyId, after, ...query }: RecordQuery,
): AsyncGenerator<readonly [Stored<Kind>[], ListedBlock]> {
  const { customerId, interactionId } = query
  const id = customerId ?? interactionId ?? thirdPartyId
  const isSelected = (record: Stored<Kind> & { readonly thirdPartyId?: string }): boolean =>
    (customerId === undefined || record.customerId === customerId) &&
    (interactionId === undefined || record.interactionId === interactionId) &&
    (thirdPartyId === undefined || record.thirdPartyId === thirdPartyId)
  let characters = 0
  for (let last = after; ; ) {
    const blocks = await store.list({ ...query, after: last, limit: blocksMax })
    for (const block of blocks) {
      yield [parseRecords<Kind>(block, id).filter(isSelected), block]
      characters += block.lines.length
      if (characters < charactersMax) continue
      characters = 0
      await setImmediate()
    }
    last = blocks.at(-1)
    if (blocks.length < blocksMax) return
    await setImmediate()
  }
}
