import Type, { type TProperties } from 'typebox'
import { values } from '../contract/enumerations.ts'
import { type Problem, type RecordType, validator } from '../contract/index.ts'
import { Flag, Id, Timestamp } from '../contract/scalars.ts'
import { isObject } from '../contract/schema.ts'

/** The envelope fields of each line type. */
interface LineSchema {
  /** Beside `record`. */
  readonly put?: TProperties
  /** Within `delete`. */
  readonly key: TProperties
  /** Beside `delete`. */
  readonly remove?: TProperties
}

const holders = Type.Array(
  Type.Object({ customerId: Id, isOwned: Type.Optional(Flag) }, closed()),
  {},
)
/** Digests of a deleted customer: they reserve the id for the same person. */
const digests = Type.Object({ email: Id, name: Id }, closed())
const account = { accountId: Id }
/** Direct debits and billing transactions have no key field: an envelope id or their content identifies them. */
const unkeyed = {
  put: { id: Type.Optional(Id) },
  key: { ...account, id: Type.Optional(Id), record: Type.Optional(Type.Unknown()) },
}

const lineSchemas: Readonly<Record<RecordType, LineSchema>> = {
  customer: { key: { id: Id }, remove: { was: Type.Optional(digests) } },
  'banking.account': { put: { holders }, key: account },
  'banking.balance': { key: account },
  'banking.transaction': {
    put: { effectiveTime: Type.Optional(Timestamp) },
    key: { ...account, transactionId: Id },
  },
  'banking.scheduledPayment': { key: { ...account, scheduledPaymentId: Id } },
  'banking.directDebit': unkeyed,
  'energy.account': { put: { holders }, key: account },
  'energy.invoice': { key: { ...account, invoiceNumber: Id } },
  'energy.billing': unkeyed,
  'account.contact': {
    put: { ...account, status: Type.Optional(Type.Enum([...values.contactStatus])) },
    key: account,
  },
  product: { key: { product_id: Id } },
}

function closed() {
  return { additionalProperties: false } as const
}

type Check = (line: unknown, problemsMax: number) => Problem[]
const checks = new Map<RecordType, { readonly put: Check; readonly remove: Check }>()

/** Validates a line except for the content of its record. */
export function validateEnvelope(
  type: RecordType,
  line: Readonly<Record<string, unknown>>,
  problemsMax: number,
): Problem[] {
  const { put, remove } = getChecks(type)
  if ('delete' in line) return [...remove(line, problemsMax), ...missingKey(type, line['delete'])]
  const isRecordOptional =
    lineSchemas[type].put?.['status'] !== undefined && line['status'] === 'RESTRICTED'
  const missing =
    'record' in line || isRecordOptional ? [] : [{ path: 'record', reason: 'is required' }]
  return [...missing, ...put(line, problemsMax)]
}

/** A record without a key field is identified by `id` or `record`; one of them is required. */
function missingKey(type: RecordType, key: unknown): Problem[] {
  if (lineSchemas[type] !== unkeyed || !isObject(key) || 'id' in key || 'record' in key) return []
  return [{ path: 'delete.id', reason: 'is required, or the record itself as delete.record' }]
}

function getChecks(type: RecordType) {
  const known = checks.get(type)
  if (known) return known
  const { put = {}, remove = {}, key } = lineSchemas[type]
  const record = Type.Optional(Type.Unknown())
  const created = {
    put: validator(Type.Object({ type: Type.String(), ...put, record }, closed())).problems,
    remove: validator(
      Type.Object({ type: Type.String(), delete: Type.Object(key, closed()), ...remove }, closed()),
    ).problems,
  }
  checks.set(type, created)
  return created
}
