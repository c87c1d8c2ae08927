import { printable } from '../../../contract/index.ts'
import { CdsError } from '../../cds/errors.ts'
import type { Query } from '../../cds/query.ts'
import { listSharedBalances, readBalances } from './balances.ts'
import { type RecordSource, toPage, toSingle } from './pages.ts'
import { readSelectedAccounts } from './selected-accounts.ts'
import {
  createListHandlers,
  type Handler,
  listBankAccounts,
  pick,
  selectBankAccounts,
  toIds,
} from './shared-accounts.ts'
import {
  errorsOf,
  rejectAccount,
  rejectRecord,
  resolveAccount,
  writeRecord,
  writeRecords,
} from './shared-data.ts'
import { resolveHistory } from './time-windows.ts'

/** B3, of one account. */
const transactions: RecordSource = {
  async read(client, { ofAccount }) {
    const { data, meta } = await client.listBankingTransactions(ofAccount)
    return { records: data.transactions, meta }
  },
  resolveWindow: ({ query, clock }) => resolveHistory(query, clock()),
}

/** B5. */
const directDebits: RecordSource = {
  async read(client, { ofAccounts }) {
    const { data, meta } = await client.listDirectDebits(pickPaging(ofAccounts))
    return { records: data.directDebitAuthorisations, meta }
  },
}

/** B4 for one account, otherwise B6. */
const payments: RecordSource = {
  async read(client, { isOneAccount, ofAccount, ofAccounts }) {
    const { data, meta } = isOneAccount
      ? await client.listScheduledPayments(pickPaging(ofAccount))
      : await client.listScheduledPaymentsOfAccounts(pickPaging(ofAccounts))
    return { records: data.scheduledPayments, meta }
  },
  locateAccountId: ({ from }) => from,
}

function pickPaging<Input extends { readonly query: Query }>(input: Input): Input {
  return { ...input, query: pick(input.query, 'page', 'page-size') }
}

const { ofAccount, ofAll, ofSelected } = createListHandlers(listBankAccounts, selectBankAccounts)

export const bankingHandlers = {
  async accounts(call) {
    return toPage(call, writeRecords(call, await selectBankAccounts(call)))
  },

  async account(call) {
    const accountId = resolveAccount(call)
    const accounts = await listBankAccounts(call)
    const account = accounts.find((each) => each.accountId === accountId)
    if (!account) {
      // The provider says in an answer about the account whether it refuses to share it.
      await readBalances(call, [accountId])
      return rejectAccount(call)
    }
    const isLater = account.productCategory === 'BUY_NOW_PAY_LATER'
    const isHidden = isLater && call.version < (call.endpoint.payLaterSince ?? 0)
    const record = isHidden ? undefined : writeRecord(call, account)
    return record ? toSingle(call, record) : rejectRecord(call)
  },

  async balance(call) {
    const found = await readBalances(call, [resolveAccount(call)])
    if (!found) return rejectAccount(call)
    const [balance] = writeRecords(call, found)
    return balance ? toSingle(call, balance) : rejectRecord(call)
  },

  async balances(call) {
    const accounts = await selectBankAccounts(call)
    return toPage(call, writeRecords(call, await listSharedBalances(call, toIds(accounts))))
  },

  async balancesOfAccounts(call) {
    const accounts = await readSelectedAccounts(call, listBankAccounts)
    const balances = await listSharedBalances(call, [...accounts.values()])
    const written = new Map(
      balances.flatMap((balance) => {
        const record = writeRecord(call, balance)
        return record ? [[balance.accountId, record] as const] : []
      }),
    )
    const without = [...accounts].filter(([, accountId]) => !written.has(accountId))
    if (without.length > 0) {
      const named = without.map(([requested]) => printable(requested))
      throw new CdsError(errorsOf(call).unavailableInBody, named)
    }
    return toPage(call, [...written.values()])
  },

  transactions: ofAccount(transactions),
  accountDirectDebits: ofAccount(directDebits),
  directDebits: ofAll(directDebits),
  directDebitsOfAccounts: ofSelected(directDebits),
  accountPayments: ofAccount(payments),
  payments: ofAll(payments),
  paymentsOfAccounts: ofSelected(payments),
} as const satisfies Record<string, Handler>
