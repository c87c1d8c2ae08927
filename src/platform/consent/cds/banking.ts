import { printable } from '../../../contract/index.ts'
import { isObject } from '../../../contract/schema.ts'
import { CdsError } from '../../cds/errors.ts'
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

const readAccountId = (record: unknown) => (isObject(record) ? record['accountId'] : undefined)

/** B3, of one account. */
const transactions: RecordSource = {
  async read(client, { input, query, accountIds: [accountId = ''] }) {
    const params = { ...input.params, accountId }
    const { data, meta } = await client.listBankingTransactions({ ...input, params, query })
    return { records: data.transactions, meta }
  },
  readAccountId,
  resolveWindow: ({ query, clock }) => resolveHistory(query, clock()),
}

/** B5. */
const directDebits: RecordSource = {
  async read(client, { input, query, accountIds }) {
    const body = { data: { accountIds: [...accountIds] } }
    const paging = pick(query, 'page', 'page-size')
    const { data, meta } = await client.listDirectDebits({ ...input, query: paging, body })
    return { records: data.directDebitAuthorisations, meta }
  },
  readAccountId,
}

/** B4 for one account, otherwise B6. */
const payments: RecordSource = {
  async read(client, { input, query, accountIds }) {
    const [accountId = '', ...others] = accountIds
    const paging = pick(query, 'page', 'page-size')
    const { data, meta } =
      others.length === 0
        ? await client.listScheduledPayments({
            ...input,
            params: { ...input.params, accountId },
            query: paging,
          })
        : await client.listScheduledPaymentsOfAccounts({
            ...input,
            query: paging,
            body: { data: { accountIds: [...accountIds] } },
          })
    return { records: data.scheduledPayments, meta }
  },
  readAccountId: (record) => (isObject(record) ? readAccountId(record['from']) : undefined),
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
