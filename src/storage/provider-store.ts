import { emailKey } from '../contract/email-key.ts'
import type { JsonText, RestrictionReason } from '../contract/index.ts'
import type { Missing, Page, ProviderStore } from '../provider/store.ts'
import type { createAccountStatements } from './account-statements.ts'
import { kindCodes } from './enum-codes.ts'
import { filterValues, pageValues, requestedAccounts, toId } from './request-values.ts'
import type { Parameter, Statement } from './statement.ts'

type Rows = readonly (readonly (string | number | null)[])[]

export interface Reads extends Pick<ProviderStore, 'listEntries' | 'listEntriesOfAccounts'> {
  readonly statements: ReturnType<typeof createAccountStatements>
  readonly overview: Statement
  query(statement: Statement, values: readonly Parameter[]): Promise<Rows>
  close(): Promise<void>
}

/** Separates joined texts. JSON text never contains it unescaped. */
const separator = '\u001e'

/** The provider's data on either engine. Each method is one statement, except the lists of entries. */
export function createProviderStore({
  statements,
  overview,
  query,
  ...lists
}: Reads): ProviderStore {
  /** The first row of a result, or what was not found. */
  const first = async (statement: Statement, values: readonly Parameter[]) => {
    const [[text, ...row] = []] = await query(statement, values)
    return toMissing(text) ?? row
  }
  const page = async (statement: Statement, values: readonly Parameter[]) => {
    const found = await first(statement, values)
    return 'missing' in found ? found : toPage(found)
  }

  const record = async (statement: Statement, values: readonly Parameter[]) => {
    const found = await first(statement, values)
    return 'missing' in found ? found : String(found[0])
  }

  return {
    ...lists,

    async listAccounts(request) {
      const found = await first(statements.listAccounts, [
        toId(request.customerId),
        kindCodes[request.kind],
        ...filterValues(request.filters),
        ...pageValues(request),
        separator,
      ])
      if ('missing' in found) return found
      const [total, texts] = found
      return { items: splitTexts(texts), total: Number(total) }
    },

    readAccount: ({ customerId, accountId, kind }) =>
      record(statements.readAccount, [toId(customerId), toId(accountId), kindCodes[kind]]),

    readEnergyAccounts: (request) =>
      page(statements.readEnergyAccounts, [...requestedAccounts(request), ...pageValues(request)]),

    listBalances: (request) =>
      page(statements.listBalances, [...requestedAccounts(request), ...pageValues(request)]),

    async findCustomers(email) {
      if (!email.isWellFormed() || email.includes('\0')) return []
      const rows = await query(statements.findCustomers, [emailKey(email)])
      return rows.map(([match]) => String(match))
    },

    readCustomer: (customerId) => record(statements.readCustomer, [toId(customerId)]),

    async listShareableAccounts(customerId) {
      const found = await first(statements.listShareableAccounts, [toId(customerId), separator])
      return 'missing' in found ? found : splitTexts(found[0])
    },

    async readBalance(customerId, accountId) {
      const found = await first(statements.readBalance, [toId(customerId), toId(accountId)])
      if ('missing' in found) return found
      return found[0] == null ? { missing: 'balance' } : String(found[0])
    },

    async readContact(customerId, accountId) {
      const found = await first(statements.readContact, [toId(customerId), toId(accountId)])
      if ('missing' in found) return found
      const [status, record] = found
      if (status == null) return { missing: 'contact' }
      return { status: String(status), record: String(record) }
    },

    async overview() {
      const [[customers, accounts, customerId, accountId] = []] = await query(overview, [])
      return {
        customers: Number(customers),
        accounts: Number(accounts),
        ...(customerId && accountId
          ? { example: { customerId: String(customerId), accountId: String(accountId) } }
          : {}),
      }
    },
  }
}

/** What the first column of a statement says: nothing, or what is missing and the reason if it is restricted. */
export function toMissing(text: unknown): Missing | undefined {
  if (typeof text !== 'string') return undefined
  const [missing, refused] = text.split(' ') as [Missing['missing'], RestrictionReason?]
  return { missing, ...(refused && { refused }) } as Missing
}

/** A page from the total and the joined records. */
export function toPage([total, records]: readonly unknown[]): Page<JsonText> {
  return { items: records ? [records as JsonText] : [], total: Number(total ?? 0) }
}

function splitTexts(joined: unknown): string[] {
  return typeof joined === 'string' ? joined.split(separator) : []
}
