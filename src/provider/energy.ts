import { buildPageBody } from '../contract/index.ts'
import { type Handler, orNotFound, orNotFoundInBody } from './handler.ts'
import { toAccountFilters, toFilterLinks, toPageRequest } from './list-query.ts'
import { resolveDateWindow, resolveWallClockWindow } from './time-window.ts'

export const listEnergyAccounts: Handler<'listEnergyAccounts'> = async (
  { params, query },
  { store },
) => {
  const request = toPageRequest(query)
  const page = orNotFound(
    await store.listAccounts({
      customerId: params.customerId,
      kind: 'energy',
      filters: toAccountFilters(query),
      ...request,
    }),
  )
  return buildPageBody('accounts', page.items, page, request, toFilterLinks(query))
}

export const listEnergyAccountDetails: Handler<'listEnergyAccountDetails'> = async (
  { params, query, body },
  { store },
) => {
  const request = toPageRequest(query)
  const page = orNotFoundInBody(
    await store.readEnergyAccounts({
      customerId: params.customerId,
      accountIds: body.data.accountIds,
      filters: toAccountFilters(query),
      ...request,
    }),
  )
  return buildPageBody('accounts', page.items, page, request, toFilterLinks(query))
}

export const listEnergyInvoices: Handler<'listEnergyInvoices'> = async (
  { params, query, body },
  { store, now, timeZone },
) => {
  const request = toPageRequest(query)
  const bounds = { oldest: query['oldest-date'], newest: query['newest-date'] }
  const { oldest, newest, window } = resolveDateWindow(bounds, now, timeZone)
  const page = orNotFoundInBody(
    await store.listEntriesOfAccounts({
      customerId: params.customerId,
      accountIds: body.data.accountIds,
      list: 'invoice',
      filters: toAccountFilters({}),
      window,
      ...request,
    }),
  )
  return buildPageBody('invoices', page.items, page, request, {
    'oldest-date': oldest,
    'newest-date': newest,
  })
}

export const listEnergyBilling: Handler<'listEnergyBilling'> = async (
  { params, query },
  { store, now, timeZone },
) => {
  const request = toPageRequest(query)
  const bounds = { oldest: query['oldest-time'], newest: query['newest-time'] }
  const { oldest, newest, window } = resolveWallClockWindow(bounds, now, timeZone)
  const page = orNotFound(
    await store.listEntries({ ...params, list: 'billing', window, ...request }),
  )
  return buildPageBody('transactions', page.items, page, request, {
    'oldest-time': oldest,
    'newest-time': newest,
  })
}

export const listEnergyBillingOfAccounts: Handler<'listEnergyBillingOfAccounts'> = async (
  { params, query, body },
  { store, now, timeZone },
) => {
  const request = toPageRequest(query)
  const bounds = { oldest: query['oldest-time'], newest: query['newest-time'] }
  const { oldest, newest, window } = resolveWallClockWindow(bounds, now, timeZone)
  const page = orNotFoundInBody(
    await store.listEntriesOfAccounts({
      customerId: params.customerId,
      accountIds: body.data.accountIds,
      list: 'billing',
      filters: toAccountFilters({}),
      window,
      ...request,
    }),
  )
  return buildPageBody('transactions', page.items, page, request, {
    'oldest-time': oldest,
    'newest-time': newest,
  })
}
