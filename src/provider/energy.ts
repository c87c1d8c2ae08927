import { buildPageBody } from '../contract/index.ts'
import { type Handler, orNotFound, orNotFoundInBody } from './handler.ts'
import { buildFilteredBody, toAccountsQuery, toCustomerQuery, toPageRequest } from './list-query.ts'
import { resolveDateWindow, resolveWallClockWindow } from './time-window.ts'

export const listEnergyAccounts: Handler<'listEnergyAccounts'> = async (input, { store }) => {
  const page = orNotFound(await store.listAccounts(toCustomerQuery('energy', input)))
  return buildFilteredBody('accounts', page, input.query)
}

export const listEnergyAccountDetails: Handler<'listEnergyAccountDetails'> = async (
  input,
  { store },
) => {
  const page = orNotFoundInBody(await store.readEnergyAccounts(toAccountsQuery(input)))
  return buildFilteredBody('accounts', page, input.query)
}

export const getEnergyAccount: Handler<'getEnergyAccount'> = async ({ params }, { store }) => {
  const account = orNotFound(await store.readAccount({ ...params, kind: 'energy' }))
  return `{"data":${account}}`
}

export const listEnergyInvoices: Handler<'listEnergyInvoices'> = async (
  input,
  { store, now, timeZone },
) => {
  const { query } = input
  const bounds = { oldest: query['oldest-date'], newest: query['newest-date'] }
  const { oldest, newest, window } = resolveDateWindow(bounds, now, timeZone)
  const entries = { ...toAccountsQuery(input), list: 'invoice', window } as const
  const page = orNotFoundInBody(await store.listEntriesOfAccounts(entries))
  return buildPageBody('invoices', page.items, page, toPageRequest(query), {
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
  input,
  { store, now, timeZone },
) => {
  const { query } = input
  const bounds = { oldest: query['oldest-time'], newest: query['newest-time'] }
  const { oldest, newest, window } = resolveWallClockWindow(bounds, now, timeZone)
  const entries = { ...toAccountsQuery(input), list: 'billing', window } as const
  const page = orNotFoundInBody(await store.listEntriesOfAccounts(entries))
  return buildPageBody('transactions', page.items, page, toPageRequest(query), {
    'oldest-time': oldest,
    'newest-time': newest,
  })
}
