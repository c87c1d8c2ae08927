/** A source that failed or answered something invalid. The message names the function and the defect, and no value. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}
