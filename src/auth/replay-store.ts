/**
 * How far the clocks of two processes may differ, or one clock be set back, in seconds: a store keeps replay records
 * that much longer than requested, so that none is purged while another process may still accept its token.
 */
export const clockSkewSeconds = 60

/**
 * What recording a token id found: its first use, an earlier use, or that records of tokens which expire as early
 * were purged already, so that an earlier use can no longer be ruled out.
 */
export type UseOutcome = 'first use' | 'used before' | 'purged'

/** The record of tokens that were used. Shared by every process that serves the provider. */
export interface ReplayStore {
  /**
   * Records a token id. Of many concurrent attempts exactly one is the first use. When it resolves, the record
   * survives a crash. It is kept until the time given, in seconds since 1970.
   */
  recordUse(tokenId: string, keptUntil: number): Promise<UseOutcome>
  close(): Promise<void>
}

/** Conditions that an operator should know of. Both may be reported often: the receiver limits what it logs. */
export interface ReplayEvents {
  /** A token was refused as 'purged': every token that is kept until this time or an earlier one is. */
  readonly onPurgedToken?: ((purgedUntil: number) => void) | undefined
  /** The wall clock was set ahead by this many seconds. Nothing is purged by it until it has settled. */
  readonly onClockStep?: ((seconds: number) => void) | undefined
}
