import Type from 'typebox'
import { oneOf, values, without } from '../enumerations.ts'
import { accountIdsMax, historyMonthsDefault } from '../limits.ts'
import { described, record } from '../record.ts'
import { Flag, Text, Timestamp } from '../scalars.ts'

/** What several operations share: path parameters, account filters, the body that names accounts. */

const customerId = described(Text, 'The customer who granted consent.')
const accountId = described(Text, 'As returned by the account list.')

export const CustomerParams = Type.Object({ customerId })
export const AccountParams = Type.Object({ customerId, accountId })

export const noQuery = Type.Object({})

export const openStatus = described(
  Type.Enum(values.openStatusFilter, { default: 'ALL' }),
  'Only accounts in this state.',
)

export const isOwned = Type.Optional(
  described(Flag, 'true: only accounts the customer owns; false: only those it does not own.'),
)

/** B1 and E1: the interface names no date, so it is that of the first release that served them. */
export const replacedByC2 = { since: '2026-11-15', successor: 'C2' } as const

export const timeBounds = {
  'oldest-time': Type.Optional(
    described(
      Timestamp,
      `At or after this time; \`newest-time\` minus ${historyMonthsDefault} months where it is left out.`,
    ),
  ),
  'newest-time': Type.Optional(
    described(Timestamp, 'At or before this time; now where it is left out.'),
  ),
}

/** Twelve of the thirteen categories: the interface lists them so for the filter. */
export const productCategory = Type.Optional(
  described(
    oneOf(without(values.productCategory, 'BUY_NOW_PAY_LATER')),
    'Only accounts of this category.',
  ),
)

/** Ids are judged by looking them up: a malformed one is simply unknown. */
export const AccountIds = Type.Object(
  {
    data: Type.Object({
      accountIds: described(
        Type.Array(Text, { maxItems: accountIdsMax }),
        'The accounts to read, in the order wanted. Repeated ones count once.',
      ),
    }),
  },
  { name: 'AccountIds' },
)

export const ErrorBody = record('ErrorBody', { error: Text })
