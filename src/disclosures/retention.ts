import { openPurgeClock, type PurgeClockOptions } from '../auth/purge-clock.ts'
import { type Block, type Head, hasOwnHash } from './block.ts'
import type { Recorder } from './recorder.ts'
import type { DisclosureRecordStore } from './store.ts'

/** How many blocks are read and removed at once. */
const blocksMax = 200

/**
 * Returns a function for the time before which records have expired. A clock that is set years ahead must not remove
 * records: only one that is still ahead at the next call counts, if that is some minutes later.
 */
export function openExpiry(
  clock: () => Temporal.Instant,
  years: number,
  options: PurgeClockOptions = {},
): () => Temporal.Instant {
  const readSeconds = openPurgeClock(clock, options)
  readSeconds()
  return () => {
    const settled = Temporal.Instant.fromEpochMilliseconds(readSeconds() * 1000)
    return settled.toZonedDateTimeISO('UTC').subtract({ years }).toInstant()
  }
}

/**
 * Removes the blocks before a time, which are the first ones of their chains. Before, a chain of this process names the last
 * one that is removed of each chain, so that a verification does not miss them.
 */
export async function removeExpired(
  store: Pick<DisclosureRecordStore, 'list' | 'remove'>,
  recorder: Pick<Recorder, 'stateRemoval'>,
  before: Temporal.Instant,
): Promise<void> {
  for (;;) {
    const blocks = await store.list({ to: before, limit: blocksMax })
    if (blocks.length === 0) return
    // The last one of each chain replaces those before it. Changed ones are not named: their time may be false.
    const last = new Map(blocks.filter(hasOwnHash).map((block) => [block.chain, toHead(block)]))
    if (last.size > 0) await recorder.stateRemoval([...last.values()])
    await store.remove(blocks)
  }
}

const toHead = ({ chain, number, hash }: Block): Head => ({ chain, number, hash })
