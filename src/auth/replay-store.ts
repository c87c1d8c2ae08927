/**
 * How far the clocks of two processes may differ, or a clock may be set back, in seconds. A store keeps replay records
 * that much longer than requested, so that none is purged while another process may still accept its token.
 */
export const clockSkewSeconds = 60

/**
 * The first use of a token id, a repeated use, or `purged`: records of tokens with this expiry were already purged, so
 * an earlier use cannot be ruled out.
 */
export type UseOutcome = 'first use' | 'used before' | 'purged'

export interface TokenUse {
  readonly tokenId: string
  /** In seconds since 1970. */
  readonly keptUntil: number
}

/** Replay protection: the used tokens, shared by all processes of the provider. */
export interface ReplayStore {
  /**
   * Records a token id. Of many concurrent attempts exactly one is the first use. Once it resolves, the record
   * survives a crash. It is kept until `keptUntil`, in seconds since 1970.
   */
  recordUse(tokenId: string, keptUntil: number): Promise<UseOutcome>
  close(): Promise<void>
}

/** Conditions for the operator. They may be reported often, so the receiver must limit what it logs. */
export interface ReplayEvents {
  /** A token was rejected as 'purged', as is every token that is to be kept until `purgedUntil` or earlier. */
  readonly onPurgedToken?: ((purgedUntil: number) => void) | undefined
  /** The wall clock jumped ahead. Nothing is purged until it is stable again. */
  readonly onClockStep?: ((seconds: number) => void) | undefined
}
