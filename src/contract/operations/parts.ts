import Type from 'typebox'
import { oneOf, values, without } from '../enumerations.ts'
import { Flag, Text } from '../leaves.ts'
import { accountIdsMax } from '../limits.ts'
import { described, record } from '../record.ts'

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
