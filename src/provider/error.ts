import { type ErrorCode, errorTable } from '../contract/index.ts'

/** A failure the caller is told about. Anything else that is thrown is a bug and becomes a 500. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly code: ErrorCode

  /** `sentence` replaces the table's text where the table says so: it names a field, never a value. */
  constructor(code: ErrorCode, sentence?: string, options?: ErrorOptions) {
    super(sentence ?? errorTable[code].message, options)
    this.code = code
  }
}
