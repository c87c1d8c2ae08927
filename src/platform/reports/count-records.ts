import { type Head, hasOwnHash, type ListedBlock } from '../../disclosures/block.ts'
import { findRecords } from '../../disclosures/find-records.ts'
import type { DisclosureRecord } from '../../disclosures/record.ts'
import type { DisclosureRecordStore } from '../../disclosures/store.ts'
import type { ReportPeriod } from './period.ts'

/** Records that are alike. */
export interface RecordCount
  extends Pick<DisclosureRecord, 'status' | 'error' | 'isRefusal' | 'limit'> {
  readonly isSent: boolean
  readonly count: number
}

export interface RecordCounts {
  readonly counts: readonly RecordCount[]
  readonly records: number
  readonly blocks: number
  /** The last block of each chain in the period, by chain. */
  readonly heads: readonly Head[]
  /** The first block that is not as it was written. */
  readonly fault: string | undefined
}

/**
 * Counts the records of a period, in order of time. Each block is compared with its hash and with the block before it; the
 * signatures are verified by `verifyRecords`.
 */
export async function countRecords(
  store: Pick<DisclosureRecordStore, 'list'>,
  { start, end }: Pick<ReportPeriod, 'start' | 'end'>,
  onProgress: (time: Temporal.Instant) => void,
): Promise<RecordCounts> {
  const counts = new Map<string, RecordCount>()
  const heads = new Map<string, Head>()
  let [records, blocks] = [0, 0]
  let fault: string | undefined
  for await (const [found, block] of findRecords(store, { from: start, to: end })) {
    fault ??= findFault(block, heads.get(block.chain))
    const { chain, number, hash, time } = block
    heads.set(chain, { chain, number, hash })
    blocks += 1
    records += found.length
    for (const { status, error, isRefusal, limit, isSent } of found) {
      const key = `${isSent} ${status} ${error} ${isRefusal} ${limit}`
      const { count = 0 } = counts.get(key) ?? {}
      counts.set(key, { status, error, isRefusal, limit, isSent, count: count + 1 })
    }
    onProgress(time)
  }
  const byChain = [...heads.values()].sort((a, b) => (a.chain < b.chain ? -1 : 1))
  return { counts: [...counts.values()], records, blocks, heads: byChain, fault }
}

function findFault(block: ListedBlock, before: Head | undefined): string | undefined {
  const named = `chain ${block.chain}, block ${block.number}`
  if (!hasOwnHash(block)) return `${named}: it was changed`
  if (!before) return undefined
  if (block.number !== before.number + 1) return `${named}: the block before it is missing`
  return block.previous === before.hash
    ? undefined
    : `${named}: it does not follow the block before it`
}
