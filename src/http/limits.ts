/** Every resource that a client can use is limited, so that no client can exhaust the server. */
export interface HttpLimits {
  /** Request line and headers. */
  readonly headerBytesMax: number
  /** Fits a thousand ids of 256 characters, even if every character is written as two escapes. */
  readonly bodyBytesMax: number
  /** Connections to one process; a further one replaces an idle one. */
  readonly connectionsMax: number
  /** Connections from one address to one process. Behind a proxy, all clients share an address. */
  readonly addressConnectionsMax: number
  /** Requests in flight on one connection: a client may send the next request before it reads a response. */
  readonly pipelinedMax: number
  /** From the first byte of a request to the last of its headers, and of its body. */
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  /** From the last byte of a request to the first of its response. */
  readonly handlerTimeoutMs: number
  /** From the first byte of a response until the client has received the last. */
  readonly writeTimeoutMs: number
  /** Between two requests: on a connection that has carried a valid token, and on one that has not. */
  readonly keepAliveTimeoutMs: number
  readonly anonymousIdleMs: number
  /** How much of a rejected request is still read, and for how long, so that its client can read the response. */
  readonly drainBytesMax: number
  readonly drainMs: number
  /** How often the timeouts above are checked. */
  readonly checkIntervalMs: number
  /**
   * The most requests in flight at once, unsent responses included; and the lowest value of the adaptive limit on
   * requests being handled.
   */
  readonly inFlightMax: number
  readonly inFlightMin: number
  /** The target for the time from arrival to the start of handling, and for the handling itself. */
  readonly latencyTargetMs: number
  /** How long the target must be missed before the limit is lowered: a burst is not overload. */
  readonly overloadAfterMs: number
  /** How often the limit is adjusted. */
  readonly sampleMs: number
  /**
   * How many requests every event-loop iteration admits. It admits more until it has used `iterationMs` of CPU time
   * during overload, or `burstMs` otherwise.
   */
  readonly iterationAdmitMin: number
  readonly iterationMs: number
  readonly burstMs: number
  /** Bytes of responses that are not sent yet, on all connections together. */
  readonly unsentBytesMax: number
  /** Replaces `writeTimeoutMs` while slow clients occupy more than half of `unsentBytesMax` or of `inFlightMax`. */
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
