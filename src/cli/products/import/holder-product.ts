import type { Origin } from '../../../platform/catalogue/store.ts'

/** A product of another holder: its detail, what the catalogue has instead, or why it could not be read. */
export interface HolderProduct {
  /** Its id, or its place in a file. */
  readonly label: string
  /** Not validated. */
  readonly detail?: unknown
  readonly present?: 'unchanged' | KeptProduct | undefined
  readonly failure?: string
}

/** A product of the catalogue that an import does not replace. */
export interface KeptProduct {
  readonly name: string
  readonly origin: Origin
  /** Completes a sentence that begins with the name. */
  readonly reason: string
}
