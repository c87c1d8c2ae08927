/** What callers may use. All of it is bounded, so that none of them can hold the server. */
export interface HttpLimits {
  /** Request line and headers. */
  readonly headerBytesMax: number
  /** A thousand ids of 256 characters fit, even with every character written as two escapes. */
  readonly bodyBytesMax: number
  /** Connections to one process; the next one takes the place of one that is idle. */
  readonly connectionsMax: number
  /** Connections from one address to one process. Behind a proxy, all clients have one address. */
  readonly addressConnectionsMax: number
  /** Requests on one connection whose answers are not sent: a client may send the next one before it has read an answer. */
  readonly pipelinedMax: number
  /** From the first byte of a request to the last of its headers, and of its body. */
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  /** From the last byte of a request until there is an answer. */
  readonly handlerTimeoutMs: number
  /** From the first byte of an answer until the caller has taken the last. */
  readonly writeTimeoutMs: number
  /** Between two requests: on a connection that carried a valid token, and on one that did not. */
  readonly keepAliveTimeoutMs: number
  readonly anonymousIdleMs: number
  /** How much of a refused request is read, and for how long, so that its client gets to read the answer. */
  readonly drainBytesMax: number
  readonly drainMs: number
  /** How often the times above are looked at. */
  readonly checkIntervalMs: number
  /**
   * How many requests are in flight at once, at most, until their answers are sent; and how many are worked on at
   * least, however slow they are.
   */
  readonly inFlightMax: number
  readonly inFlightMin: number
  /** How soon a request should be begun once it has arrived, and answered once it is begun. */
  readonly latencyTargetMs: number
  /** Where nothing has been that soon for so long, fewer are worked on at once: a burst is no crowd. */
  readonly overloadAfterMs: number
  /** How often that is judged. */
  readonly sampleMs: number
  /**
   * How many requests one turn of the event loop admits in any case. Beyond, it admits more for so much CPU time while
   * there is overload, and for `burstMs` where there was none before.
   */
  readonly iterationAdmitMin: number
  readonly iterationMs: number
  readonly burstMs: number
  /** Bytes of answers that wait until their clients take them, on all connections together. */
  readonly unsentBytesMax: number
  /** As `writeTimeoutMs`, while more than half of those bytes or of the requests in flight wait for slow clients. */
  readonly writeTimeoutBackpressureMs: number
}

export const httpLimits: HttpLimits = {
  headerBytesMax: 16 * 1024,
  bodyBytesMax: 4 * 1024 * 1024,
  connectionsMax: 4000,
  addressConnectionsMax: Infinity,
  pipelinedMax: 32,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  handlerTimeoutMs: 30_000,
  writeTimeoutMs: 30_000,
  keepAliveTimeoutMs: 72_000,
  anonymousIdleMs: 15_000,
  drainBytesMax: 32 * 1024 * 1024,
  drainMs: 5000,
  checkIntervalMs: 1000,
  inFlightMax: 1000,
  inFlightMin: 64,
  latencyTargetMs: 15,
  overloadAfterMs: 100,
  sampleMs: 50,
  iterationAdmitMin: 16,
  iterationMs: 100,
  burstMs: 500,
  unsentBytesMax: 128 * 1024 * 1024,
  writeTimeoutBackpressureMs: 5000,
}
