import { buildPageBody, downgradeAccount } from '../contract/index.ts'
import { type Handler, orNotFound, orNotFoundInBody } from './handler.ts'
import { buildFilteredBody, toAccountsQuery, toCustomerQuery, toPageRequest } from './list-query.ts'
import type { EntryList } from './store.ts'
import { resolveInstantWindow } from './time-window.ts'

export const listBankingAccounts: Handler<'listBankingAccounts'> = async (
  input,
  { store, accountVersion },
) => {
  const page = orNotFound(await store.listAccounts(toCustomerQuery('banking', input)))
  const items = page.items.map((account) => toVersion(accountVersion, account))
  return buildFilteredBody('accounts', { ...page, items }, input.query)
}

export const getBankingAccount: Handler<'getBankingAccount'> = async (
  { params },
  { store, accountVersion },
) => {
  const account = orNotFound(await store.readAccount({ ...params, kind: 'banking' }))
  return `{"data":${toVersion(accountVersion, account)}}`
}

export const listBankingBalances: Handler<'listBankingBalances'> = async (input, { store }) => {
  const page = orNotFoundInBody(await store.listBalances(toAccountsQuery(input)))
  return buildFilteredBody('balances', page, input.query)
}

export const listBankingTransactions: Handler<'listBankingTransactions'> = async (
  { params, query },
  { store, now, timeZone },
) => {
  const request = toPageRequest(query)
  const { oldest, newest, window } = resolveInstantWindow(
    { oldest: query['oldest-time'], newest: query['newest-time'] },
    now,
    timeZone,
  )
  const page = orNotFound(
    await store.listEntries({
      ...params,
      list: 'transaction',
      window,
      minAmount: query['min-amount'],
      maxAmount: query['max-amount'],
      text: query.text,
      ...request,
    }),
  )
  return buildPageBody('transactions', page.items, page, request, {
    'oldest-time': oldest,
    'newest-time': newest,
    'min-amount': query['min-amount'],
    'max-amount': query['max-amount'],
    text: query.text,
  })
}

export const listScheduledPayments: Handler<'listScheduledPayments'> = async (
  { params, query },
  { store },
) => {
  const request = toPageRequest(query)
  const page = orNotFound(await store.listEntries({ ...params, list: 'payment', ...request }))
  return buildPageBody('scheduledPayments', page.items, page, request, {})
}

export const listDirectDebits: Handler<'listDirectDebits'> = listEntriesOfAccounts(
  'debit',
  'directDebitAuthorisations',
)

export const listScheduledPaymentsOfAccounts: Handler<'listScheduledPaymentsOfAccounts'> =
  listEntriesOfAccounts('payment', 'scheduledPayments')

/** B5 and B6 differ only in the list that they return. */
function listEntriesOfAccounts(
  list: EntryList,
  field: string,
): Handler<'listDirectDebits' | 'listScheduledPaymentsOfAccounts'> {
  return async (input, { store }) => {
    const query = { ...toAccountsQuery(input), list }
    const page = orNotFoundInBody(await store.listEntriesOfAccounts(query))
    return buildFilteredBody(field, page, input.query)
  }
}

function toVersion(version: 3 | 4, account: string): string {
  return version === 4 ? account : JSON.stringify(downgradeAccount(JSON.parse(account)))
}
