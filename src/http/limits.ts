/** What a connection may use. All of it is bounded, so that no caller can hold the server. */
export interface HttpLimits {
  /** Request line and headers. */
  readonly headBytesMax: number
  /** A thousand ids of 256 characters fit, even with every character written as two escapes. */
  readonly bodyBytesMax: number
  /** From the first byte of a request to the last of its headers, and of its body. */
  readonly headMs: number
  readonly requestMs: number
  /** Between two requests. */
  readonly idleMs: number
  /** How often the times above are looked at. */
  readonly checkMs: number
}

export const httpLimits: HttpLimits = {
  headBytesMax: 16 * 1024,
  bodyBytesMax: 4 * 1024 * 1024,
  headMs: 10_000,
  requestMs: 30_000,
  idleMs: 72_000,
  checkMs: 1000,
}
