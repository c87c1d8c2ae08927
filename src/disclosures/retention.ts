import type { Block, Head } from './block.ts'
import type { Recorder } from './recorder.ts'
import type { DisclosureRecordStore } from './store.ts'

/** How many blocks are read and removed at once. */
const blocksMax = 200

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
    // The last one of each chain replaces those before it.
    const last = new Map(blocks.map((block) => [block.chain, toHead(block)]))
    await recorder.stateRemoval([...last.values()])
    await store.remove(blocks)
  }
}

const toHead = ({ chain, number, hash }: Block): Head => ({ chain, number, hash })
