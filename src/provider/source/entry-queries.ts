import type { ProviderOperationId } from '../handler.ts'
import type { EntryList, TimeWindow } from '../store.ts'
import { toInstant, toLocalTime, toPlainDate } from '../time-window.ts'
import type { TimeBounds } from './source.ts'

interface EntryOperations {
  readonly ofAccount?: ProviderOperationId
  readonly ofAccounts?: ProviderOperationId
}

const operationsByList: Readonly<Record<EntryList, EntryOperations>> = {
  transaction: { ofAccount: 'listBankingTransactions' },
  payment: { ofAccount: 'listScheduledPayments', ofAccounts: 'listScheduledPaymentsOfAccounts' },
  debit: { ofAccounts: 'listDirectDebits' },
  invoice: { ofAccounts: 'listEnergyInvoices' },
  billing: { ofAccount: 'listEnergyBilling', ofAccounts: 'listEnergyBillingOfAccounts' },
}

export function entryOperation(
  list: EntryList,
  accounts: keyof EntryOperations,
): ProviderOperationId {
  const id = operationsByList[list][accounts]
  if (id === undefined) throw new TypeError(`no operation lists each ${list} ${accounts}`)
  return id
}

/** The bounds of a window as values of the list's own type. */
export function toBounds(list: EntryList, { oldest, newest }: TimeWindow): TimeBounds<unknown> {
  const toTime = list === 'invoice' ? toPlainDate : list === 'billing' ? toLocalTime : toInstant
  return { oldest: toTime(oldest), newest: toTime(newest) }
}
