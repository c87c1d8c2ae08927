import type { Fields, Kind, ParsedLine } from './parse-line.ts'

/** A record of an account. Its time is assigned if the record has none. */
export interface Entry extends Pick<ParsedLine, 'id' | 'record' | 'status'> {
  readonly time: bigint
  readonly isAssigned: boolean
}

/** What is stored. Records are by the kind and the id of their account, which need not exist. */
export const emptyState = () => ({
  customers: new Map<
    string,
    Pick<ParsedLine, 'record' | 'emails'> & { email: string; name: string }
  >(),
  accounts: new Map<string, { kind: Kind; record: Fields; holders: ParsedLine['holders'] }>(),
  records: new Map<string, ReadonlyMap<string, Entry>>(),
  /** By `account ID` and `customer ID`, which need not exist. */
  restrictions: new Map<string, Fields>(),
  products: new Map<string, Fields>(),
  /** Times that this load assigned. */
  assignedTimes: new Map<string, bigint>(),
})
export type State = ReturnType<typeof emptyState>
