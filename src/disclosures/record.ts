import type { Block, ListedBlock } from './block.ts'

/**
 * What a request got: which data of whom was disclosed to whom under which consent, or what was refused. It has no data of
 * a customer apart from ids.
 */
export interface DisclosureRecord {
  /** As logs and metrics call it. */
  readonly operation: string
  readonly interactionId: string
  readonly thirdPartyId: string
  readonly consentId: string
  readonly customerId: string
  readonly isCustomerPresent: boolean
  /** Of the answer. */
  readonly status: number
  /** What the customer agreed to, of which data was disclosed. */
  readonly scopes: readonly string[]
  /** The accounts whose data was disclosed. */
  readonly accountIds: readonly string[]
  /** How many records were disclosed. */
  readonly count: number
  /** The bounds of the period whose records were asked for. */
  readonly oldest?: string | undefined
  readonly newest?: string | undefined
  /** The name of the error, if nothing was disclosed. */
  readonly error?: string | undefined
  /** Whether the data holder refused to share. Otherwise, the error has another cause, such as an invalid request. */
  readonly isRefusal?: boolean | undefined
  /** The traffic limit that the request was over. */
  readonly limit?: string | undefined
}

export interface StoredDisclosureRecord extends DisclosureRecord {
  /** Of its block: before the answer was sent. */
  readonly time: Temporal.Instant
  /** False if a later record says that the third party got a 503 instead. */
  readonly isSent: boolean
  readonly block: Pick<Block, 'chain' | 'number'>
}

/** A line of a block, as JSON. */
export type Line = DisclosureLine | UnsentLine | StatementLine

interface DisclosureLine extends DisclosureRecord {
  readonly kind: 'disclosure'
}

/** The answers with the records of an earlier block of the chain were not sent: the clients got a 503. */
interface UnsentLine {
  readonly kind: 'unsent'
  readonly block: number
}

interface StatementLine {
  readonly kind: 'statement'
  /** A JWS. */
  readonly statement: string
}

/** How the first line of a block begins if the answers with the records of the block before it were not sent. */
export const unsentStart = '{"kind":"unsent"'

export const formatLine = (line: Line): string => JSON.stringify(line)

/** Only the lines that have the ID, if one is given: a block has the records of many customers. */
export function parseLines({ lines }: Pick<Block, 'lines'>, id?: string): readonly Line[] {
  const text = id === undefined ? '' : JSON.stringify(id)
  return lines
    .split('\n')
    .filter((line) => line.includes(text))
    .map((line) => JSON.parse(line) as Line)
}

/** Also those of others that refer to the ID, if one is given. */
export function parseRecords(block: ListedBlock, id?: string): readonly StoredDisclosureRecord[] {
  const { chain, number, time, isSent } = block
  return parseLines(block, id).flatMap((line) => {
    if (line.kind !== 'disclosure') return []
    const { kind: _kind, ...record } = line
    return [{ ...record, time, isSent, block: { chain, number } }]
  })
}
