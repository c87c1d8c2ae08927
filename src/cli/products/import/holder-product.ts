/** A product of another holder: its detail, what the catalogue has instead, or why it could not be read. */
export interface HolderProduct {
  /** Its id, or its place in a file. */
  readonly label: string
  /** Not validated. */
  readonly detail?: unknown
  /** `kept`: the catalogue has a later change. */
  readonly present?: 'unchanged' | 'kept'
  readonly failure?: string
}
