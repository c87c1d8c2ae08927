import type { Static } from 'typebox'
import { oneOf, values } from '../enumerations.ts'
import { described, record } from '../record.ts'
import { Flag, Id, Money, Text, Timestamp } from '../scalars.ts'

export type BankingBalance = Static<typeof BankingBalance>
export const BankingBalance = record('BankingBalance', {
  description: 'The current balances of an account.',
  required: { accountId: Id, currentBalance: Money, availableBalance: Money },
  optional: { currency: described(Text, 'Default: AUD.') },
})

export type BankingTransaction = Static<typeof BankingTransaction>
export const BankingTransaction = record('BankingTransaction', {
  description: 'A transaction of an account.',
  required: {
    accountId: Id,
    transactionId: Id,
    status: oneOf(values.transactionStatus),
    amount: described(
      Money,
      'A negative amount reduces the available balance, a positive amount increases it.',
    ),
  },
  optional: {
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
})
