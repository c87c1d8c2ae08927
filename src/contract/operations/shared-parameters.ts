import type { TSchema } from 'typebox'
import { oneOf, values, without } from '../enumerations.ts'
import type { ErrorCode } from '../errors.ts'
import { accountIdsMax, historyMonthsDefault, idempotencyKeyLengthMax } from '../limits.ts'
import { described, optional, record } from '../record.ts'
import { CheckRunningBody } from '../records/checks.ts'
import { BatchConflictBody, InvalidLinesBody } from '../records/intake.ts'
import { Flag, Text, Timestamp } from '../scalars.ts'
import { Type } from '../type.ts'

/** Path parameters, account filters and bodies that several operations share. */

const customerId = described(Text, 'The customer who granted consent.')
const accountId = described(Text, 'The id of an account, as returned by `listShareableAccounts`.')

export const CustomerParams = Type.Object({ customerId })
export const AccountParams = Type.Object({ customerId, accountId })

export const idempotencyKey = Type.Object({
  'idempotency-key': optional(
    Type.String({ minLength: 1, maxLength: idempotencyKeyLengthMax }),
    'A key chosen by the client. A repeated request with the same key creates nothing new and returns the first response.',
  ),
})

/** An operation without parameters, whose errors all follow from its path, its input and its protection. */
export const plain = {
  params: Type.Object({}),
  query: Type.Object({}),
  status: 200,
  errors: [],
} as const

export const openStatus = described(
  Type.Enum(values.openStatusFilter, { default: 'ALL' }),
  'Only accounts with this status.',
)

export const isOwned = optional(
  Flag,
  'true: only accounts that the customer owns. false: only accounts that the customer does not own.',
)

/** For B1 and E1. The interface gives no date, so this is the date of the first release. */
export const replacedByC2 = { since: '2026-11-15', successor: 'C2' } as const

export const timeBounds = {
  'oldest-time': optional(
    Timestamp,
    `At or after this time. Default: \`newest-time\` minus ${historyMonthsDefault} months.`,
  ),
  'newest-time': optional(Timestamp, 'At or before this time. Default: now.'),
}

/** The interface excludes one category from the filter. */
export const productCategory = optional(
  oneOf(without(values.productCategory, 'BUY_NOW_PAY_LATER')),
  'Only accounts of this category.',
)

/** Ids are not validated: a malformed id is an unknown one. */
export const AccountIds = Type.Object(
  {
    data: Type.Object({
      accountIds: described(
        Type.Array(Text, { maxItems: accountIdsMax }),
        'The ids of the accounts. Lists without a time order follow this order. Duplicates are ignored.',
      ),
    }),
  },
  { name: 'AccountIds', description: 'The accounts that a request is about.' },
)

export const ErrorBody = record('ErrorBody', {
  description: 'The body of an error.',
  required: { error: described(Text, 'What is wrong, in one sentence or more.') },
})

/** The bodies of errors with members in addition to `error`. */
export const errorBodies: Partial<Record<ErrorCode, TSchema>> = {
  batch_conflict: BatchConflictBody,
  check_running: CheckRunningBody,
  invalid_lines: InvalidLinesBody,
}
