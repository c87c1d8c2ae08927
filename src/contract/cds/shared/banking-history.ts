import { values } from '../../enumerations.ts'
import {
  amount,
  anyText,
  dateTime,
  enumeration,
  flag,
  id,
  requiredAmountIn,
  shownCurrency,
} from './scalars.ts'
import { object, optional, required, requiredIf } from './shapes.ts'

export const bankingBalance = object('BankingBalance', {
  accountId: required(id('account')),
  currentBalance: requiredAmountIn('currentBalance', 'currency'),
  availableBalance: requiredAmountIn('availableBalance', 'currency'),
  currency: shownCurrency,
})

/** Amounts of the interface are in Australian dollars. No detail is available, since Get Transaction Detail is not served. */
export const bankingTransaction = object('BankingTransaction', {
  accountId: required(id('account')),
  transactionId: required(id('transaction'), {
    read: ({ accountId, transactionId }) => [accountId, transactionId],
  }),
  isDetailAvailable: required(flag, { read: () => false }),
  type: required(enumeration(values.transactionType), { otherwise: 'OTHER' }),
  status: required(enumeration(values.transactionStatus)),
  description: anyText,
  // The time of a posted transaction is the one by which the provider orders it, if it says.
  postingDateTime: requiredIf(({ status }) => status === 'POSTED', dateTime, {
    read: ({ status, postingDateTime, executionDateTime }) =>
      postingDateTime ?? (status === 'POSTED' ? executionDateTime : undefined),
  }),
  executionDateTime: optional(dateTime),
  amount: required(amount),
  currency: shownCurrency,
  reference: anyText,
})
