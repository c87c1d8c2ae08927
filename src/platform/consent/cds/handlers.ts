import {
  AccountIds,
  type BankingBalance,
  findProblems,
  formatProblem,
  printable,
} from '../../../contract/index.ts'
import { isObject } from '../../../contract/schema.ts'
import { buildLinks, buildMeta, type PagePosition, requirePage } from '../../cds/envelope.ts'
import { CdsError } from '../../cds/errors.ts'
import type { Query } from '../../cds/query.ts'
import { ProviderUnavailable } from '../customers.ts'
import { type CdsEndpointId, payLaterVersions } from './endpoints.ts'
import { toCdsAccount, toCdsBalance, toCdsCustomer, toCdsTransaction } from './records.ts'
import {
  ask,
  type CdsCall,
  listSharedAccounts,
  listSharedBalances,
  readBalances,
  rejectAccount,
  resolveAccount,
  theCustomer,
  toInput,
} from './shared-data.ts'
import { rejectUnlistedAccounts } from './unlisted-accounts.ts'

/** The window of transactions without a lower bound. The standards set it; that of the interface is longer. */
const historyHoursDefault = 90 * 24

export interface CdsBody {
  readonly data: object
  readonly links: object
  readonly meta: object
}

/** May throw `CdsError` and `ProviderUnavailable`. */
type Handler = (call: CdsCall) => Promise<CdsBody>

/** What third parties get: data of the accounts of the arrangement, and of no other account that the provider returns. */
export const cdsHandlers: Readonly<Record<CdsEndpointId, Handler>> = {
  async accounts(call) {
    const { ids, arrangement, version } = call
    const accounts = await listSharedAccounts(call, payLaterVersions.accounts)
    const records = accounts.map((account) =>
      toCdsAccount(account, ids.makeAccountId(arrangement, account.accountId), version),
    )
    return toPage(call, 'accounts', records)
  },

  async balance(call) {
    const found = await readBalances(call, [resolveAccount(call)])
    if (!found) return rejectAccount(call)
    const [balance] = found
    if (!balance) throw new CdsError('accountUnavailable', printable(call.accountId))
    return toSingle(call, toCdsBalance(balance, call.accountId))
  },

  async balances(call) {
    const accounts = await listSharedAccounts(call, payLaterVersions.balances)
    const accountIds = accounts.map(({ accountId }) => accountId)
    return toBalancePage(call, await listSharedBalances(call, accountIds))
  },

  async balancesOfAccounts(call) {
    const requested = readAccountIds(call.body)
    const { ids, arrangement } = call
    const shared = new Map(
      arrangement.accountIds.map((id) => [ids.makeAccountId(arrangement, id), id]),
    )
    const unknown = requested.filter((id) => !shared.has(id))
    if (unknown.length > 0) throw new CdsError('unknownAccountInBody', unknown.map(printable))
    const accounts = new Map(requested.map((id) => [id, shared.get(id) ?? '']))
    const listed = new Set((await listSharedAccounts(call)).map(({ accountId }) => accountId))
    const unlisted = new Map([...accounts].filter(([, accountId]) => !listed.has(accountId)))
    if (unlisted.size > 0) await rejectUnlistedAccounts(call, unlisted)
    const balances = await listSharedBalances(call, [...accounts.values()])
    const found = new Set(balances.map(({ accountId }) => accountId))
    const without = requested.filter((id) => !found.has(accounts.get(id) ?? ''))
    if (without.length > 0) throw new CdsError('unavailableAccountInBody', without.map(printable))
    return toBalancePage(call, balances)
  },

  async transactions(call) {
    const { ids, arrangement } = call
    const accountId = resolveAccount(call)
    const input = toInput(call)
    const params = { ...input.params, accountId }
    const query = { ...call.query, ...resolveWindow(call.query, call.clock()) }
    const found = await ask(call, (client) =>
      client.listBankingTransactions({ ...input, params, query }),
    )
    if (!found) return rejectAccount(call)
    const { transactions } = found.data
    const { totalRecords, isQueryParamUnsupported } = found.meta
    if (
      !Number.isSafeInteger(totalRecords) ||
      transactions.some((each) => each.accountId !== accountId)
    ) {
      throw new ProviderUnavailable('B3: an invalid total, or transactions of another account')
    }
    const records = transactions.map((each) => {
      const id = ids.makeTransactionId(arrangement, accountId, each.transactionId)
      return toCdsTransaction(each, call.accountId, id)
    })
    const position = { ...readPosition(query), totalRecords }
    const body = toBody(call.url, query, position, { transactions: records })
    if (!isQueryParamUnsupported) return body
    return { ...body, meta: { ...body.meta, isQueryParamUnsupported } }
  },

  async customer(call) {
    const customer = await ask(call, (client) => client.getCustomer(toInput(call)))
    if (!customer) throw new CdsError('customerUnavailable', theCustomer)
    return toSingle(call, toCdsCustomer(customer))
  },
}

/** Without duplicates. */
function readAccountIds(body: unknown): readonly string[] {
  const data = isObject(body) ? body['data'] : undefined
  if (!isObject(data) || data['accountIds'] === undefined) {
    throw new CdsError('missingField', 'data.accountIds')
  }
  const [problem] = findProblems(AccountIds, { data }, 1)
  if (problem) throw new CdsError('invalidField', formatProblem(problem))
  return [...new Set(data['accountIds'] as string[])]
}

/** Fixed bounds, so that the clock does not shift a walk over the pages. */
function resolveWindow(query: Query, now: Temporal.Instant) {
  const newest = (query['newest-time'] as string | undefined) ?? now.toString()
  const oldest =
    (query['oldest-time'] as string | undefined) ??
    Temporal.Instant.from(newest).subtract({ hours: historyHoursDefault }).toString()
  return { 'oldest-time': oldest, 'newest-time': newest }
}

function readPosition(query: Query) {
  return { page: Number(query['page']), pageSize: Number(query['page-size']) }
}

function toBalancePage(call: CdsCall, balances: readonly BankingBalance[]): CdsBody {
  const records = balances.map((balance) =>
    toCdsBalance(balance, call.ids.makeAccountId(call.arrangement, balance.accountId)),
  )
  return toPage(call, 'balances', records)
}

/** The requested page of a list that was read as a whole. */
function toPage({ url, query }: CdsCall, field: string, records: readonly object[]): CdsBody {
  const { page, pageSize } = readPosition(query)
  const slice = records.slice((page - 1) * pageSize, page * pageSize)
  return toBody(url, query, { page, pageSize, totalRecords: records.length }, { [field]: slice })
}

function toBody(url: string, query: Query, position: PagePosition, data: object): CdsBody {
  requirePage(position)
  return { data, links: buildLinks(url, query, position), meta: buildMeta(position) }
}

function toSingle({ url }: CdsCall, data: object): CdsBody {
  return { data, links: { self: url }, meta: {} }
}
