import Type, { type TProperties } from 'typebox'
import { values } from '../contract/enumerations.ts'
import { type Problem, type RecordType, validator } from '../contract/index.ts'
import { Flag, Id, Timestamp } from '../contract/scalars.ts'
import { isObject } from '../contract/schema.ts'

/** What stands beside the record in a line of each type, and what a `delete` names it by. */
interface Shape {
  readonly beside?: TProperties
  readonly key: TProperties
  readonly besideDelete?: TProperties
}

const holders = Type.Array(
  Type.Object({ customerId: Id, isOwned: Type.Optional(Flag) }, closed()),
  {},
)
/** What is kept of a person who is gone, so that the id does not go to another. */
const digests = Type.Object({ email: Id, name: Id }, closed())
const account = { accountId: Id }
/** Direct debits and billing have no key of their own: an id beside the record, or their content. */
const unkeyed = {
  beside: { id: Type.Optional(Id) },
  key: { ...account, id: Type.Optional(Id), record: Type.Optional(Type.Unknown()) },
}

const shapes: Readonly<Record<RecordType, Shape>> = {
  customer: { key: { id: Id }, besideDelete: { was: Type.Optional(digests) } },
  'banking.account': { beside: { holders }, key: account },
  'banking.balance': { key: account },
  'banking.transaction': {
    beside: { effectiveTime: Type.Optional(Timestamp) },
    key: { ...account, transactionId: Id },
  },
  'banking.scheduledPayment': { key: { scheduledPaymentId: Id } },
  'banking.directDebit': unkeyed,
  'energy.account': { beside: { holders }, key: account },
  'energy.invoice': { key: { ...account, invoiceNumber: Id } },
  'energy.billing': unkeyed,
  'account.contact': {
    beside: { ...account, status: Type.Optional(Type.Enum([...values.contactStatus])) },
    key: account,
  },
  product: { key: { product_id: Id } },
}

function closed() {
  return { additionalProperties: false } as const
}

type Check = (line: unknown, most: number) => Problem[]
const checks = new Map<RecordType, { readonly put: Check; readonly remove: Check }>()

/** What is wrong with a line around its record, up to so much. */
export function lineProblems(
  type: RecordType,
  line: Readonly<Record<string, unknown>>,
  most: number,
): Problem[] {
  const { put, remove } = checksOf(type)
  if ('delete' in line) return [...remove(line, most), ...missingKey(type, line['delete'])]
  const isBare = shapes[type].beside?.['status'] !== undefined && line['status'] === 'RESTRICTED'
  const missing = 'record' in line || isBare ? [] : [{ path: 'record', reason: 'is required' }]
  return [...missing, ...put(line, most)]
}

/** Of the two ways to name what has no key of its own, one must be there. */
function missingKey(type: RecordType, key: unknown): Problem[] {
  if (shapes[type] !== unkeyed || !isObject(key) || 'id' in key || 'record' in key) return []
  return [{ path: 'delete.id', reason: 'is required, or the record itself as delete.record' }]
}

function checksOf(type: RecordType) {
  const known = checks.get(type)
  if (known) return known
  const { beside = {}, besideDelete = {}, key } = shapes[type]
  const record = Type.Optional(Type.Unknown())
  const made = {
    put: validator(Type.Object({ type: Type.String(), ...beside, record }, closed())).problems,
    remove: validator(
      Type.Object(
        { type: Type.String(), delete: Type.Object(key, closed()), ...besideDelete },
        closed(),
      ),
    ).problems,
  }
  checks.set(type, made)
  return made
}
