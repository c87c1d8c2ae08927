/**
 * How far the clocks of two processes may be apart, or one be set back, in seconds: a store keeps claims that
 * much longer than it is told, so that none is forgotten while another process may still take its token.
 */
export const clockSkewSeconds = 60

/** The record of tokens that were used. Shared by every process that serves the provider. */
export interface ClaimStore {
  /**
   * Spends a token's id. False where it was spent before: exactly one of many that try at once wins. When
   * it resolves, the claim outlives a crash. It is kept until the time given, in seconds since 1970.
   */
  claim(tokenId: string, keptUntil: number): Promise<boolean>
  close(): Promise<void>
}
