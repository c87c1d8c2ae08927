/** Every resource that a client can use is limited, so that no client can exhaust the server. */
export const httpLimits = {
  /** Request line and headers. */
  headerBytesMax: 16 * 1024,
  /** Fits a thousand ids of 256 characters, even if every character is written as two escapes. */
  bodyBytesMax: 4 * 1024 * 1024,
  /** Connections to one process; a further one replaces an idle one. */
  connectionsMax: 4000,
  /** Connections from one address to one process. Behind a proxy, all clients share an address. */
  addressConnectionsMax: Infinity,
  /** Requests in flight on one connection: a client may send the next request before it reads a response. */
  pipelinedMax: 32,
  /** From the first byte of a request to the last of its headers, and of its body. */
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  /** From the last byte of a request to the first of its response. */
  handlerTimeoutMs: 30_000,
  /** From the first byte of a response until the client has received the last. */
  writeTimeoutMs: 30_000,
  /** Between two requests: on a connection that has carried a valid token, and on one that has not. */
  keepAliveTimeoutMs: 72_000,
  anonymousIdleMs: 15_000,
  /** How much of a rejected request is still read, and for how long, so that its client can read the response. */
  drainBytesMax: 32 * 1024 * 1024,
  drainMs: 5000,
  /** How often the timeouts above are checked. */
  checkIntervalMs: 1000,
  /**
   * The most requests in flight at once, unsent responses included; and the lowest value of the adaptive limit on
   * requests being handled.
   */
  inFlightMax: 1000,
  inFlightMin: 64,
  /** The target for the time from arrival to the start of handling, and for the handling itself. */
  latencyTargetMs: 15,
  /** How long the target must be missed before the limit is lowered: a burst is not overload. */
  overloadAfterMs: 100,
  /** How often the limit is adjusted. */
  sampleMs: 50,
  /**
   * How many requests every event-loop iteration admits. It admits more until it has used `iterationMs` of CPU time
   * during overload, or `burstMs` otherwise.
   */
  iterationAdmitMin: 16,
  iterationMs: 100,
  burstMs: 500,
  /** Bytes of responses that are not sent yet, on all connections together. */
  unsentBytesMax: 128 * 1024 * 1024,
  /** Replaces `writeTimeoutMs` while slow clients occupy more than half of `unsentBytesMax` or of `inFlightMax`. */
  writeTimeoutBackpressureMs: 5000,
}

export type HttpLimits = Readonly<typeof httpLimits>
