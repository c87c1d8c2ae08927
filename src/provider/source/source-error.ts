/** A source that failed or answered something invalid. The message names the function and the defect, and no value. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

/** What a function of a source throws while the system that it reads from is unavailable. The client gets a 503. */
export class SourceUnavailable extends Error {
  override readonly name = 'SourceUnavailable'
  /** A whole number. Undefined if none was given, or one that is negative or not finite: the client then waits a second. */
  readonly retryAfterSeconds: number | undefined

  constructor(options: ErrorOptions & { readonly retryAfterSeconds?: number } = {}) {
    super('the source is unavailable', options)
    const seconds = Math.ceil(options.retryAfterSeconds ?? Number.NaN)
    this.retryAfterSeconds = Number.isSafeInteger(seconds) && seconds >= 0 ? seconds : undefined
  }
}
