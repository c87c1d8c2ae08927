import type { TokenUse, UseOutcome } from '../auth/replay-store.ts'
import type { Block, Head, ListedBlock } from './block.ts'
import type { AnswerRecord, DisclosureRecord, ProviderRecord } from './record.ts'

/** The place of a block in the order of time. */
export interface Position extends Pick<Block, 'time' | 'chain' | 'number'> {}

export interface BlockQuery {
  readonly from?: Temporal.Instant | undefined
  /** Excluded. */
  readonly to?: Temporal.Instant | undefined
  /** Only blocks with a record of this customer, or of this interaction. */
  readonly customerId?: string | undefined
  readonly interactionId?: string | undefined
  /** Only with a customer. Without `from` and `to`. */
  readonly isNewestFirst?: boolean | undefined
  /** The last one of the previous page. */
  readonly after?: Position | undefined
  readonly limit: number
}

/** The blocks of all processes. No block is ever changed. */
export interface RecordStore<Kind extends AnswerRecord> {
  /**
   * Adds a block with what its records are found by, durably when it resolves. Does nothing if the block exists, so that it
   * can be repeated if the answer was lost. If the answers were not sent, it does not note what the records disclose.
   */
  append(block: Block, records: readonly Kind[], isUnsent?: boolean): Promise<void>
  /** Rejects with the reason if no block can be added now. Changes nothing. */
  test(): Promise<void>
  /** In order of time, then chain and number. */
  list(query: BlockQuery): Promise<readonly ListedBlock[]>
  /** In order of chain and number, after this one. */
  walk(after: Pick<Head, 'chain' | 'number'> | undefined, limit: number): Promise<readonly Block[]>
  find(chain: string, number: number): Promise<Block | undefined>
  /**
   * The last blocks of the chains that have grown in these seconds, or, if none has, in the seconds before the newest block
   * was made.
   */
  listHeads(now: Temporal.Instant, seconds: number): Promise<readonly Head[]>
  /** Removes blocks, with what their records are found by. */
  remove(blocks: readonly ListedBlock[]): Promise<void>
}

export type DisclosureRecordStore = RecordStore<DisclosureRecord>

/** The blocks of a provider. */
export interface ProviderRecordStore extends RecordStore<ProviderRecord> {
  /**
   * Records the uses of tokens, which differ, and adds a block in the same commit if all of them are first uses. Otherwise,
   * only the uses are recorded.
   */
  appendWithUses(
    block: Block,
    records: readonly ProviderRecord[],
    uses: readonly TokenUse[],
  ): Promise<readonly UseOutcome[]>
}
