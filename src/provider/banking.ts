import { buildPageBody, downgradeAccount } from '../contract/index.ts'
import { type Handler, orNotFound, orNotFoundInBody } from './handler.ts'
import { toAccountFilters, toFilterLinks, toPageRequest } from './list-query.ts'
import type { EntryList } from './store.ts'
import { resolveInstantWindow } from './time-window.ts'

export const listBankingAccounts: Handler<'listBankingAccounts'> = async (
  { params, query },
  { store, accountVersion },
) => {
  const request = toPageRequest(query)
  const page = orNotFound(
    await store.listAccounts({
      customerId: params.customerId,
      kind: 'banking',
      filters: toAccountFilters(query),
      ...request,
    }),
  )

  const items = accountVersion === 4 ? page.items : page.items.map(toVersionThree)
  return buildPageBody('accounts', items, page, request, toFilterLinks(query))
}

export const listBankingBalances: Handler<'listBankingBalances'> = async (
  { params, query, body },
  { store },
) => {
  const request = toPageRequest(query)
  const page = orNotFoundInBody(
    await store.listBalances({
      customerId: params.customerId,
      accountIds: body.data.accountIds,
      filters: toAccountFilters(query),
      ...request,
    }),
  )
  return buildPageBody('balances', page.items, page, request, toFilterLinks(query))
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
  return async ({ params, query, body }, { store }) => {
    const request = toPageRequest(query)
    const page = orNotFoundInBody(
      await store.listEntriesOfAccounts({
        customerId: params.customerId,
        accountIds: body.data.accountIds,
        list,
        filters: toAccountFilters(query),
        ...request,
      }),
    )
    return buildPageBody(field, page.items, page, request, toFilterLinks(query))
  }
}

function toVersionThree(account: string): string {
  return JSON.stringify(downgradeAccount(JSON.parse(account)))
}
