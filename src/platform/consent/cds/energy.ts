import { type RecordSource, toPage, toSingle } from './pages.ts'
import {
  createListHandlers,
  type Handler,
  listEnergyAccounts,
  selectEnergyAccounts,
} from './shared-accounts.ts'
import {
  ask,
  rejectAccount,
  rejectRecord,
  resolveAccount,
  toInput,
  writeRecord,
  writeRecords,
} from './shared-data.ts'
import { resolveBillingTimes, resolveInvoiceDates } from './time-windows.ts'

/** E3 */
const invoices: RecordSource = {
  async read(client, { ofAccounts }) {
    const { data, meta } = await client.listEnergyInvoices(ofAccounts)
    return { records: data.invoices, meta }
  },
  newestBy: 'issueDate',
  resolveWindow: ({ query, clock, timeZone }) => resolveInvoiceDates(query, clock(), timeZone),
}

/** E4 for one account, otherwise E5. */
const billing: RecordSource = {
  async read(client, { isOneAccount, ofAccount, ofAccounts }) {
    const { data, meta } = isOneAccount
      ? await client.listEnergyBilling(ofAccount)
      : await client.listEnergyBillingOfAccounts(ofAccounts)
    return { records: data.transactions, meta }
  },
  newestBy: 'executionDateTime',
  resolveWindow: ({ query, clock, timeZone }) => resolveBillingTimes(query, clock(), timeZone),
}

const { ofAccount, ofAll, ofSelected } = createListHandlers(
  listEnergyAccounts,
  selectEnergyAccounts,
)

export const energyHandlers = {
  async energyAccounts(call) {
    return toPage(call, writeRecords(call, await selectEnergyAccounts(call)))
  },

  /** E2 */
  async energyAccount(call) {
    const accountId = resolveAccount(call)
    const input = { ...toInput(call), body: { data: { accountIds: [accountId] } } }
    const found = await ask(call, (client) => client.listEnergyAccountDetails(input))
    const account = found?.data.accounts.find((each) => each.accountId === accountId)
    if (!account) return rejectAccount(call)
    const record = writeRecord(call, account)
    return record ? toSingle(call, record) : rejectRecord(call)
  },

  accountInvoices: ofAccount(invoices),
  invoices: ofAll(invoices),
  invoicesOfAccounts: ofSelected(invoices),
  accountBilling: ofAccount(billing),
  billing: ofAll(billing),
  billingOfAccounts: ofSelected(billing),
} as const satisfies Record<string, Handler>
