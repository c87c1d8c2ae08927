import type { BankingBalance } from '../contract/index.ts'
import { type Handler, orNotFound } from './handler.ts'

/** For a balance that was loaded without a currency. */
const currencyDefault = 'AUD'

export const searchCustomers: Handler<'searchCustomers'> = async ({ body }, { store }) => {
  const matches = await store.findCustomers(body.email)
  return `{"data":[${matches.join(',')}]}`
}

export const listShareableAccounts: Handler<'listShareableAccounts'> = async (
  { params },
  { store },
) => {
  const accounts = orNotFound(await store.listShareableAccounts(params.customerId))
  return `{"accounts":[${accounts.join(',')}]}`
}

export const getCustomer: Handler<'getCustomer'> = async ({ params }, { store }) =>
  orNotFound(await store.readCustomer(params.customerId))

export const getExampleBalance: Handler<'getExampleBalance'> = async ({ params }, { store }) => {
  const record = orNotFound(await store.readBalance(params.customerId, params.id))
  const balance: BankingBalance = JSON.parse(record)
  const accountId = JSON.stringify(balance.accountId)
  const currency = JSON.stringify(balance.currency ?? currencyDefault)
  return (
    `{"account_id":${accountId},"available":${numberText(balance.availableBalance)},` +
    `"current":${numberText(balance.currentBalance)},"currency":${currency}}`
  )
}

/** The decimal as a JSON number with all its digits. JSON only forbids leading zeros. */
function numberText(decimal: string): string {
  return decimal.replace(/^(-?)0+(?=\d)/, '$1')
}
