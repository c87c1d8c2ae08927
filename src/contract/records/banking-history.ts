import type { Static } from 'typebox'
import { oneOf, values } from '../enumerations.ts'
import { described, record } from '../record.ts'
import { Flag, Id, Money, Text, Timestamp } from '../scalars.ts'

export type BankingBalance = Static<typeof BankingBalance>
export const BankingBalance = record(
  'BankingBalance',
  { accountId: Id, currentBalance: Money, availableBalance: Money },
  { currency: described(Text, 'AUD where it is left out.') },
  { description: 'What is on an account now.' },
)

export type BankingTransaction = Static<typeof BankingTransaction>
export const BankingTransaction = record(
  'BankingTransaction',
  {
    accountId: Id,
    transactionId: Id,
    status: oneOf(values.transactionStatus),
    amount: described(Money, 'Negative reduces the available balance, positive increases it.'),
  },
  {
    isDetailAvailable: Flag,
    type: oneOf(values.transactionType),
    description: Text,
    postingDateTime: Timestamp,
    executionDateTime: described(
      Timestamp,
      'Orders a transaction that has no posting time. Aggregates may have neither.',
    ),
    reference: Text,
  },
  {
    description: 'One entry of an account’s history.',
    rules: [{ when: { field: 'status', is: ['POSTED'] }, needs: ['postingDateTime'] }],
  },
)
