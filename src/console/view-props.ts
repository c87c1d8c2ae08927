/** What every view gets from the router. */
export interface ViewProps {
  /** The parts of the path that the pattern names. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}
