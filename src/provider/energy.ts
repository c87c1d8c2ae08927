import { buildPageBody } from '../contract/index.ts'
import { type Handler, orNotFound, orNotFoundInBody } from './handler.ts'
import { accountFilters, filterLinks, pageRequest } from './list-query.ts'
import { dateWindow, wallClockWindow } from './time-window.ts'

export const listEnergyAccounts: Handler<'listEnergyAccounts'> = async (
  { params, query },
  { store },
) => {
  const request = pageRequest(query)
  const page = orNotFound(
    await store.listAccounts({
      customerId: params.customerId,
      kind: 'energy',
      filters: accountFilters(query),
      ...request,
    }),
  )
  const items = page.items.map(({ head, tail }) => head + tail)
  return buildPageBody('accounts', items, page, request, filterLinks(query))
}

export const listEnergyAccountDetails: Handler<'listEnergyAccountDetails'> = async (
  { params, query, body },
  { store },
) => {
  const request = pageRequest(query)
  const page = orNotFoundInBody(
    await store.readEnergyAccounts({
      customerId: params.customerId,
      accountIds: body.data.accountIds,
      filters: accountFilters(query),
      ...request,
    }),
  )
  return buildPageBody('accounts', page.items, page, request, filterLinks(query))
}

export const listEnergyInvoices: Handler<'listEnergyInvoices'> = async (
  { params, query, body },
  { store, now, timeZone },
) => {
  const request = pageRequest(query)
  const given = { oldest: query['oldest-date'], newest: query['newest-date'] }
  const { oldest, newest, window } = dateWindow(given, now, timeZone)
  const page = orNotFoundInBody(
    await store.listEntriesOfAccounts({
      customerId: params.customerId,
      accountIds: body.data.accountIds,
      list: 'invoice',
      filters: accountFilters({}),
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
  const request = pageRequest(query)
  const given = { oldest: query['oldest-time'], newest: query['newest-time'] }
  const { oldest, newest, window } = wallClockWindow(given, now, timeZone)
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
  const request = pageRequest(query)
  const given = { oldest: query['oldest-time'], newest: query['newest-time'] }
  const { oldest, newest, window } = wallClockWindow(given, now, timeZone)
  const page = orNotFoundInBody(
    await store.listEntriesOfAccounts({
      customerId: params.customerId,
      accountIds: body.data.accountIds,
      list: 'billing',
      filters: accountFilters({}),
      window,
      ...request,
    }),
  )
  return buildPageBody('transactions', page.items, page, request, {
    'oldest-time': oldest,
    'newest-time': newest,
  })
}
