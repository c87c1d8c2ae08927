/** A line of the NDJSON import format, as the model of a load needs it (load-model.ts). */
export interface ParsedLine {
  readonly type: string
  /** The kinds of account that it can belong to. None for a customer and a product. */
  readonly kinds: readonly Kind[]
  readonly isAccount: boolean
  readonly account: string
  /** The key within the account, or of the customer or product. */
  readonly id: string
  /** Undefined for a deletion. */
  readonly record: Fields | undefined
  /** Further addresses of a customer. */
  readonly emails: readonly string[]
  readonly holders: ReadonlyMap<string, boolean>
  readonly status: string | undefined
  /** In nanoseconds, in the record. Undefined for a transaction without a time, and constant in lists without times. */
  readonly ownTime: bigint | undefined
  /** In the envelope. */
  readonly assignedTime: bigint | undefined
  /** The field that refers to the account, and what kind of account that is. */
  readonly path: string
  readonly isCorrection: boolean
}

export type Kind = 'banking' | 'energy'
export type Fields = Readonly<Record<string, string>>

interface Line {
  readonly type: string
  readonly record?: Fields & { readonly from?: Fields }
  readonly delete?: Fields
  readonly emails?: readonly string[]
  readonly holders?: readonly { readonly customerId: string; readonly isOwned?: boolean }[]
  readonly id?: string
  readonly accountId?: string
  readonly status?: string
  readonly effectiveTime?: string
  readonly correction?: boolean
}

export function parseLine(text: string): ParsedLine {
  const { type, record, delete: deleted, ...line } = JSON.parse(text) as Line
  const fields = deleted ?? record ?? {}
  const kind = /^(banking|energy)\./.exec(type)?.[1] as Kind | undefined
  return {
    type,
    kinds: type === 'account.contact' ? ['banking', 'energy'] : kind ? [kind] : [],
    isAccount: type === `${kind}.account`,
    account: line.accountId ?? fields['accountId'] ?? record?.from?.['accountId'] ?? '',
    id: line.id ?? fields[keyFields[type] ?? 'id'] ?? '',
    record,
    emails: line.emails ?? [],
    holders: new Map(line.holders?.map(({ customerId, isOwned = true }) => [customerId, isOwned])),
    status: line.status,
    ownTime: record && parseTime(type, record),
    assignedTime: line.effectiveTime === undefined ? undefined : nanoseconds(line.effectiveTime),
    path: `${record?.from ? 'from.' : ''}accountId ${kind ? `${kind} ` : ''}account`,
    isCorrection: line.correction === true,
  }
}

const keyFields: Fields = {
  'banking.transaction': 'transactionId',
  'banking.scheduledPayment': 'scheduledPaymentId',
  'energy.invoice': 'invoiceNumber',
  restriction: 'customerId',
  product: 'product_id',
}

function parseTime(type: string, record: Fields): bigint | undefined {
  const { postingDateTime, executionDateTime, issueDate } = record
  if (type === 'energy.invoice') return nanoseconds(`${issueDate}T00:00:00Z`)
  if (type === 'energy.billing') return nanoseconds(`${executionDateTime}Z`)
  if (type !== 'banking.transaction') return 0n
  const time = postingDateTime ?? executionDateTime
  return time === undefined ? undefined : nanoseconds(time)
}

export function nanoseconds(time: string): bigint {
  return Temporal.Instant.from(time).epochNanoseconds
}

/** The order of a list: by time, then by id. */
export function newestFirst(a: Timed, b: Timed): number {
  if (a.time !== b.time) return a.time > b.time ? -1 : 1
  return Buffer.compare(Buffer.from(a.id), Buffer.from(b.id))
}

interface Timed {
  readonly time: bigint
  readonly id: string
}
