import type { Static, TObject, TProperties } from 'typebox'
import { values } from './enumerations.ts'
import { customerEmailsMax } from './limits.ts'
import type { RecordType, recordTypes } from './records/index.ts'
import { restrictionRules } from './records/restriction.ts'
import type { Rule } from './rules.ts'
import { Email, Flag, Id, Timestamp } from './scalars.ts'
import { Type } from './type.ts'

/** The envelope fields of a line type in the NDJSON import format. */
export interface LineSchema {
  /** Beside `record`. */
  readonly put?: TProperties
  /** Within `delete`. */
  readonly key: TProperties
  readonly keyRules?: readonly Rule[]
  /** Beside `delete`. */
  readonly remove?: TProperties
}

const closed = { additionalProperties: false } as const

const holders = Type.Array(Type.Object({ customerId: Id, isOwned: Type.Optional(Flag) }, closed))
/** Addresses of people who may act for the customer: C1 finds the customer by them too, and nothing returns them. */
const emails = Type.Array(Email, { maxItems: customerEmailsMax })
/** Digests of a deleted customer: they reserve the id for the same person. */
const digests = Type.Object({ email: Id, name: Id }, closed)
const account = { accountId: Id }
/** Whether the line corrects data that was wrong, and may have been disclosed. */
const corrective = { correction: Type.Optional(Flag) }
/** A dump sets it for a line that refers to an account or a customer that does not exist: a load accepts it then. */
const reference = { unresolved: Type.Optional(Flag) }
/** Data of a customer in an account. */
const held = { put: { ...reference, ...corrective }, remove: corrective }
/** Direct debits and billing transactions have no key field: an envelope id or their content identifies them. */
const unkeyed = {
  put: { id: Type.Optional(Id), ...held.put },
  key: { ...account, id: Type.Optional(Id), record: Type.Optional(Type.Unknown()) },
  remove: held.remove,
}

export const lineSchemas = {
  customer: {
    put: { emails: Type.Optional(emails), ...corrective },
    key: { id: Id },
    remove: { was: Type.Optional(digests), ...corrective },
  },
  'banking.account': { ...held, put: { holders, ...held.put }, key: account },
  'banking.balance': { ...held, key: account },
  'banking.transaction': {
    ...held,
    put: { effectiveTime: Type.Optional(Timestamp), ...held.put },
    key: { ...account, transactionId: Id },
  },
  'banking.scheduledPayment': { ...held, key: { ...account, scheduledPaymentId: Id } },
  'banking.directDebit': unkeyed,
  'energy.account': { ...held, put: { holders, ...held.put }, key: account },
  'energy.invoice': { ...held, key: { ...account, invoiceNumber: Id } },
  'energy.billing': unkeyed,
  'account.contact': {
    ...held,
    put: {
      ...account,
      status: Type.Optional(Type.Enum([...values.contactStatus])),
      ...held.put,
    },
    key: account,
  },
  restriction: {
    put: reference,
    key: { accountId: Type.Optional(Id), customerId: Type.Optional(Id) },
    keyRules: restrictionRules,
  },
  product: {
    /** The data holder that the product was imported from. */
    put: { origin: Type.Optional(Id) },
    key: { product_id: Id },
  },
} as const satisfies Record<RecordType, LineSchema>

/** A line of the NDJSON import format. */
export type Line = LineOf<RecordType> | WithheldContact

/** Distributes over the types, so that each type has its own record. */
type LineOf<Type extends RecordType> = Type extends RecordType
  ? PutLine<Type> | DeleteLine<Type>
  : never

/** Inserts or replaces a record. */
export type PutLine<Type extends RecordType> = {
  type: Type
  record: Static<(typeof recordTypes)[Type]>
} & Envelope<Type, 'put'>

/** Deletes a record. */
export type DeleteLine<Type extends RecordType> = {
  type: Type
  delete: Static<TObject<(typeof lineSchemas)[Type]['key']>>
} & Envelope<Type, 'remove'>

type WithheldContact = { type: 'account.contact'; accountId: string; status: 'RESTRICTED' }

type Envelope<Type extends RecordType, Part extends 'put' | 'remove'> =
  (typeof lineSchemas)[Type] extends Record<Part, infer Fields extends TProperties>
    ? Static<TObject<Fields>>
    : unknown

/** Where a row comes from: the name of the file, and the line where the row starts or the number of the row. */
export interface RowLocation {
  readonly file: string
  readonly line: number
}

/**
 * A mapping function: the default export of a file for `holdfast load --map`. It returns the lines of a row, or nothing
 * to skip the row. `Row` is the type of a row: texts by column for CSV and TSV.
 */
export type MapRow<Row = Record<string, string>> = (
  row: Row,
  location: RowLocation,
) => MappedLines | Promise<MappedLines>

export type MappedLines = Line | readonly Line[] | null | undefined
