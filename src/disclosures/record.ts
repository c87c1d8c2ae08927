import type { RefusalCircumstance } from '../contract/index.ts'
import type { Block, ListedBlock } from './block.ts'

/** What a request got: which data of whom was disclosed, or what was refused. It has no data of a customer apart from ids. */
export interface AnswerRecord {
  /** As logs and metrics call it. */
  readonly operation: string
  readonly interactionId: string
  readonly customerId?: string | undefined
  /** Of the answer. */
  readonly status: number
  readonly accountIds: readonly string[]
  /** How many records were disclosed. */
  readonly count?: number | undefined
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

/** What a third party got from the platform, under which consent. */
export interface DisclosureRecord extends AnswerRecord {
  readonly thirdPartyId: string
  readonly consentId: string
  readonly customerId: string
  readonly isCustomerPresent: boolean
  /** What the customer agreed to, of which data was disclosed. */
  readonly scopes: readonly string[]
  /** The accounts whose data was disclosed. */
  readonly accountIds: readonly string[]
  readonly count: number
}

/**
 * What a platform got from a provider. The accounts are those that the request named, also if it was refused; without any,
 * those of the answer. A guard does not count the records of a response that it does not collect.
 */
export interface ProviderRecord extends AnswerRecord {
  /** The key that signed the token, if the token names it: it identifies the platform. */
  readonly keyId?: string | undefined
  /** Why the provider refused to share. */
  readonly circumstance?: RefusalCircumstance | undefined
}

/** A record as it is read. */
export type Stored<Kind extends AnswerRecord> = Kind & {
  /** Of its block: before the answer was sent. */
  readonly time: Temporal.Instant
  /** False if a later record says that the client got a 503 instead. */
  readonly isSent: boolean
  readonly block: Pick<Block, 'chain' | 'number'>
}

export type StoredDisclosureRecord = Stored<DisclosureRecord>

/** A line of a block, as JSON. */
export type Line = DisclosureLine | UnsentLine | StatementLine

interface DisclosureLine extends AnswerRecord {
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

/** Throws if a line is not JSON. */
export function parseLines({ lines }: Pick<Block, 'lines'>): readonly Line[] {
  return lines.split('\n').map((line) => JSON.parse(line) as Line)
}

/**
 * The records of a block of which all are of one kind; with an ID, only those that contain it: a block has the records of
 * many customers. A changed block may have lines that are none, which `verifyRecords` finds.
 */
export function parseRecords<Kind extends AnswerRecord = DisclosureRecord>(
  block: ListedBlock,
  id?: string,
): readonly Stored<Kind>[] {
  const { chain, number, time, isSent, lines } = block
  const text = id === undefined ? '' : JSON.stringify(id)
  return lines.split('\n').flatMap((each) => {
    const line = each.includes(text) ? parseLine(each) : undefined
    if (line?.kind !== 'disclosure' || !hasReadableFields(line)) return []
    const { kind: _kind, ...record } = line
    return [{ ...record, time, isSent, block: { chain, number } } as unknown as Stored<Kind>]
  })
}

function hasReadableFields({
  accountIds,
  scopes = [],
  ...rest
}: AnswerRecord & { scopes?: unknown }) {
  const isTexts = (value: unknown) =>
    Array.isArray(value) && value.every((each) => typeof each === 'string')
  const hasType = ([name, value]: [string, unknown]) =>
    typeof value === (fieldTypes.get(name) ?? 'string')
  return isTexts(accountIds) && isTexts(scopes) && Object.entries(rest).every(hasType)
}

/** Of the fields that are no texts. */
const fieldTypes: ReadonlyMap<string, 'number' | 'boolean'> = new Map([
  ['status', 'number'],
  ['count', 'number'],
  ['isRefusal', 'boolean'],
  ['isCustomerPresent', 'boolean'],
])

function parseLine(text: string): Line | null | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
