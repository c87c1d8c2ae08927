import type { MessageKind, MessageState } from '../../../contract/consent-messages.ts'

/** A message that a process has claimed. Until the end of its lease, no other process claims it. */
export interface ClaimedMessage {
  readonly id: string
  readonly kind: MessageKind
  readonly arrangementId: string
  readonly created: Temporal.Instant
  /** How many attempts there have been, with the one of this claim. */
  readonly attempts: number
  /** Identifies the claim. */
  readonly lease: string
}

/** The recipient of receipts. No third party has this id. */
export const customersRecipient = 'customers'

/** The waiting messages to a third party, or those to customers. */
export interface MessageQueue {
  readonly recipient: string
  /** Of a third party. */
  readonly baseUri?: string | undefined
  /** When the first of them is due; for a claimed one, the end of its lease. */
  readonly due: Temporal.Instant
}

/** What became of an attempt. */
export interface Settlement {
  readonly state: MessageState
  /** Of the next attempt. */
  readonly due: Temporal.Instant
  readonly error?: string | undefined
  /** An attempt that was interrupted does not count. */
  readonly isInterrupted?: boolean
}

/** A message about a consent. */
export interface StoredMessage {
  readonly kind: MessageKind
  readonly state: MessageState
  readonly created: Temporal.Instant
  readonly attempts: number
  /** Of the next attempt. */
  readonly due: Temporal.Instant
  /** Of the last attempt that failed. */
  readonly error?: string | undefined
  /** When the state became final. */
  readonly settled?: Temporal.Instant | undefined
}

export interface WaitingMessages {
  /** At most `countedMax`. */
  readonly count: number
  readonly oldest?: Temporal.Instant | undefined
}

/** How many messages are counted at most. */
export const countedMax = 10_000

/** How many messages one transaction gives up at most. */
export const givenUpMax = 500

/**
 * Messages that leave the platform. One is added in the transaction that it informs of, and is delivered at least once: a
 * process that ends during a delivery is followed by another delivery when its lease is over.
 */
export interface OutboxStore {
  listQueues(): Promise<readonly MessageQueue[]>
  /** Claims the messages to a recipient that have been due the longest, until the end of the lease. */
  claim(
    recipient: string,
    limit: number,
    lease: { readonly id: string; readonly ends: Temporal.Instant },
    now: Temporal.Instant,
  ): Promise<readonly ClaimedMessage[]>
  /** Does nothing if another process has claimed the message since, unless it was delivered. */
  settle(message: ClaimedMessage, settlement: Settlement, now: Temporal.Instant): Promise<void>
  /** Gives up messages that were added before. Returns how many they were, at most `givenUpMax`. */
  giveUp(createdBefore: Temporal.Instant, now: Temporal.Instant): Promise<number>
  /** The messages about each of these consents, oldest first: at most the last `listedMessagesMax`. */
  listMessages(
    arrangementIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly StoredMessage[]>>
  readWaiting(): Promise<WaitingMessages>
  /**
   * Whether changes of consents add receipts to customers, from now on and in every process. Those that wait are cancelled
   * when this ends.
   */
  setReceipts(areOn: boolean, now: Temporal.Instant): Promise<void>
  /** Calls the function after each commit of this process that may have added messages. Returns a function that ends this. */
  watch(listener: () => void): () => void
}
