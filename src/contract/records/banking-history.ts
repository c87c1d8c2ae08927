import type { Static } from 'typebox'
import { oneOf, values } from '../enumerations.ts'
import { described, record } from '../record.ts'
import { Flag, Id, Money, Text, Timestamp } from '../scalars.ts'

export type BankingBalance = Static<typeof BankingBalance>
export const BankingBalance = record(
  'BankingBalance',
  { accountId: Id, currentBalance: Money, availableBalance: Money },
  { currency: described(Text, 'Default: AUD.') },
  { description: 'The current balances of an account.' },
)

export type BankingTransaction = Static<typeof BankingTransaction>
export const BankingTransaction = record(
  'BankingTransaction',
  {
    accountId: Id,
    transactionId: Id,
    status: oneOf(values.transactionStatus),
    amount: described(
      Money,
      'A negative amount reduces the available balance, a positive amount increases it.',
    ),
  },
  {
    isDetailAvailable: Flag,
    type: oneOf(values.transactionType),
    description: Text,
    postingDateTime: Timestamp,
    executionDateTime: described(
      Timestamp,
      'Used to order a transaction without a posting time. A transaction may have neither.',
    ),
    reference: Text,
  },
  { description: 'A transaction of an account.' },
)
