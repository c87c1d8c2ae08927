import { isId } from '../../contract/ids.ts'
import { ContractError, type PageRequest } from '../../contract/index.ts'
import type { ProviderOperationId } from '../handler.ts'
import type { Missing, ProviderReads } from '../store.ts'
import { entryOperation, toBounds } from './entry-queries.ts'
import {
  isWithheld,
  readBalance,
  readList,
  readMissing,
  readPage,
  readRecord,
  readUnsupported,
} from './read-answer.ts'
import type { AccountQuery, AccountsQuery, CustomerQuery, Source } from './source.ts'
import { SourceError, SourceUnavailable } from './source-error.ts'

const noCustomer = { missing: 'customer' } as const
const noAccount = { missing: 'account' } as const

/** Lets the handlers read from a source. A source that fails or answers something invalid is a `SourceError`. */
export function toProviderReads(source: Source): ProviderReads {
  const ask = async <Found>(
    id: ProviderOperationId,
    query: object,
    read: (answer: unknown) => Found,
  ): Promise<Found> => {
    const call = source[id] as ((query: object) => unknown) | undefined
    try {
      return read(await call?.call(source, query))
    } catch (cause) {
      if (cause instanceof SourceUnavailable) throw toUnavailable(cause)
      throw cause instanceof SourceError ? cause : new SourceError(`${id}: failed`, { cause })
    }
  }

  const readCustomer = async (customerId: string): Promise<string | Missing> =>
    isId(customerId)
      ? ask('getCustomer', { customerId }, (answer) => readRecord('getCustomer', answer))
      : noCustomer

  /**
   * A source never gets an id that no record can have: its database may reject such a text, or replace parts of it and find
   * another id. An unknown customer takes precedence over an unknown account.
   */
  const askOfAccounts = async <Query extends CustomerQuery, Found>(
    id: ProviderOperationId,
    query: Query,
    accountIds: readonly string[],
    read: (answer: unknown) => Found | Missing,
  ): Promise<Found | Missing> => {
    if (!isId(query.customerId)) return noCustomer
    if (accountIds.every(isId)) return ask(id, query, read)
    const customer = await readCustomer(query.customerId)
    return typeof customer === 'string' ? noAccount : customer
  }

  const askOfAccount = <Found>(
    id: ProviderOperationId,
    query: AccountQuery,
    read: (answer: unknown) => Found | Missing,
  ) => askOfAccounts(id, query, [query.accountId], read)

  const listOfAccounts = (id: ProviderOperationId, query: AccountsQuery & PageRequest) => {
    const accountIds = [...new Set(query.accountIds)]
    const read = (answer: unknown) => readPage(id, answer, query)
    return askOfAccounts(id, { ...query, accountIds }, accountIds, read)
  }

  return {
    async listAccounts({ kind, filters, ...query }) {
      if (!isId(query.customerId)) return noCustomer
      const id = kind === 'banking' ? 'listBankingAccounts' : 'listEnergyAccounts'
      return ask(id, { ...query, ...filters }, (answer) => readPage(id, answer, query))
    },

    readAccount({ kind, ...query }) {
      const id = kind === 'banking' ? 'getBankingAccount' : 'getEnergyAccount'
      return askOfAccount(id, query, (answer) => readRecord(id, answer))
    },

    readEnergyAccounts: ({ filters, ...query }) =>
      listOfAccounts('listEnergyAccountDetails', { ...query, ...filters }),

    listBalances: ({ filters, ...query }) =>
      listOfAccounts('listBankingBalances', { ...query, ...filters }),

    async listEntries({ list, window, ...query }) {
      const id = entryOperation(list, 'ofAccount')
      const bounds = window && toBounds(list, window)
      return askOfAccount(id, { ...query, ...bounds }, (answer) => {
        const page = readPage(id, answer, query)
        if ('missing' in page || list !== 'transaction') return page
        return { ...page, isQueryParamUnsupported: readUnsupported(id, answer) }
      })
    },

    async listEntriesOfAccounts({ list, window, filters, ...query }) {
      const narrowed = window ? toBounds(list, window) : filters
      return listOfAccounts(entryOperation(list, 'ofAccounts'), { ...query, ...narrowed })
    },

    async findCustomers(email) {
      if (!email.isWellFormed() || email.includes('\0')) return []
      return ask('searchCustomers', { email }, (answer) => readList('searchCustomers', answer))
    },

    readCustomer,

    async listShareableAccounts(customerId) {
      if (!isId(customerId)) return noCustomer
      const id = 'listShareableAccounts'
      return ask(id, { customerId }, (answer) => readMissing(id, answer) ?? readList(id, answer))
    },

    readBalance(customerId, accountId) {
      const id = 'getExampleBalance'
      return askOfAccount(id, { customerId, accountId }, (answer) => readBalance(id, answer))
    },

    readContact(customerId, accountId) {
      const id = 'getAccountContact'
      return askOfAccount(id, { customerId, accountId }, (answer) => {
        if (isWithheld(id, answer)) return { status: 'RESTRICTED', record: '' }
        const record = readRecord(id, answer)
        return typeof record === 'string' ? { status: 'OPEN', record } : record
      })
    },
  }
}

function toUnavailable({ message, retryAfterSeconds }: SourceUnavailable): ContractError {
  return new ContractError('unavailable', message, {
    reason: message,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}
