import type { PageRequest } from '../contract/index.ts'
import type { Contact, Missing, Page, ProviderReads } from './store.ts'

/** What a read found. */
export interface FoundRecords {
  /** How many records. */
  readonly count: number
  /** Of a list of accounts. */
  readonly accountIds?: readonly string[]
  /** Of a search for customers that found one. */
  readonly customerId?: string
}

type Read = (query: object, ...rest: readonly unknown[]) => Promise<Result>

type Result = string | readonly string[] | Page<unknown> | Contact | Missing

/** The reads of a store for one request, and a function that returns what the last one found. */
export function observeReads(reads: ProviderReads) {
  let found = (): FoundRecords => ({ count: 0 })
  const store = new Proxy(reads, {
    get:
      (target, name: keyof ProviderReads) =>
      async (...call: Parameters<Read>): Promise<Result> => {
        const result = await (target[name] as unknown as Read)(...call)
        found = () => findRecordsInResult(name, call[0], result)
        return result
      },
  })
  return { store, found: () => found() }
}

/** Parses only lists of accounts and customers: other records are found by the accounts in the query. */
function findRecordsInResult(
  name: keyof ProviderReads,
  query: object,
  result: Result,
): FoundRecords {
  if (typeof result === 'string') return { count: 1 }
  if ('missing' in result) return { count: 0 }
  if ('status' in result) return { count: result.status === 'RESTRICTED' ? 0 : 1 }
  if (name === 'findCustomers') {
    const [match, ...others] = result as readonly string[]
    if (match === undefined || others.length > 0) return { count: (result as []).length }
    return { count: 1, customerId: JSON.parse(match).id }
  }
  if ('items' in result) {
    const { page, pageSize } = query as PageRequest
    const count = Math.max(0, Math.min(pageSize, result.total - (page - 1) * pageSize))
    return {
      count,
      ...(name === 'listAccounts' && { accountIds: listIds(result.items, 'accountId') }),
    }
  }
  return { count: result.length, accountIds: listIds(result, 'id') }
}

/** An item of a page may contain several records. */
function listIds(items: readonly unknown[], field: string): readonly string[] {
  const accounts: readonly Readonly<Record<string, string>>[] = JSON.parse(`[${items.join()}]`)
  return accounts.flatMap(({ [field]: id }) => id ?? [])
}
