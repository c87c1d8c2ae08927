import type { AccountKind } from '../contract/index.ts'
import { isObject } from '../contract/schema.ts'
import type { CheckContext } from './context.ts'
import { checkEach, type Passed, skip } from './outcome.ts'
import type { Fields } from './paged-list.ts'
import { readAccounts } from './read-list.ts'
import { isMissingRecord } from './responses.ts'

export interface Account {
  readonly id: string
  readonly kind: AccountKind
  /** The record that B1 or E1 returns, if the provider has them. */
  readonly record?: Fields
}

/** Limits the number of requests. */
const customersMax = 6
const accountsMax = 30

/** The customers of the options, by id and by e-mail address. */
export function findCustomers(context: CheckContext): Promise<readonly string[]> {
  return context.once('customers', async () => {
    const ids = new Set(context.options.customers)
    for (const email of context.options.emails) {
      for (const id of await searchByEmail(context, email)) ids.add(id)
    }
    const customers = [...ids].slice(0, customersMax)
    if (customers.length === 0) skip('no customer has one of the given e-mail addresses')
    return customers
  })
}

/** Runs a check on every customer. */
export function forEachCustomer(
  check: (context: CheckContext, customerId: string) => Promise<unknown>,
): (context: CheckContext) => Promise<Passed> {
  return async (context) =>
    checkEach(await findCustomers(context), (customerId) => check(context, customerId))
}

export async function requireCustomer(context: CheckContext): Promise<string> {
  const [customerId] = await findCustomers(context)
  return customerId ?? skip('no customer was found')
}

export async function searchByEmail(context: CheckContext, email: string): Promise<string[]> {
  const search = context.operation('C1')
  if (!search) return []
  const { body } = await context.request(search, { body: { email } })
  const matches = isObject(body) && Array.isArray(body['data']) ? body['data'] : []
  return matches.flatMap((match) => (isObject(match) ? [String(match['id'])] : []))
}

/** The account ids that C2 lists; undefined if the provider has no C2 or it fails. */
export function listShareable(
  context: CheckContext,
  customerId: string,
): Promise<string[] | undefined> {
  return context.once(`shareable ${customerId}`, async () => {
    const list = context.operation('C2')
    if (!list) return undefined
    const { body, isSuccess } = await context.request(list, { params: { customerId } })
    if (!isSuccess || !isObject(body) || !Array.isArray(body['accounts'])) return undefined
    return body['accounts'].flatMap((account) => (isObject(account) ? [String(account['id'])] : []))
  })
}

/** Every account of a customer that B1, E1 or C2 lists. */
export function findAccounts(
  context: CheckContext,
  customerId: string,
): Promise<readonly Account[]> {
  return context.once(`accounts ${customerId}`, async () => {
    const listed = new Map<string, Account>()
    for (const [ref, kind] of [
      ['B1', 'banking'],
      ['E1', 'energy'],
    ] as const) {
      for (const record of await readAccounts(context, ref, customerId)) {
        const id = String(record['accountId'])
        listed.set(id, { id, kind, record })
      }
    }
    const shareable = (await listShareable(context, customerId)) ?? []
    for (const id of shareable.filter((each) => !listed.has(each)).slice(0, accountsMax)) {
      const kind = await findAccountKind(context, customerId, id)
      if (kind) listed.set(id, { id, kind })
    }
    return [...listed.values()]
  })
}

/** C2 does not state the kind of an account, so the kind is the one of the operation that accepts its id. */
export async function findAccountKind(
  context: CheckContext,
  customerId: string,
  accountId: string,
): Promise<AccountKind | undefined> {
  for (const [ref, kind] of [
    ['B2', 'banking'],
    ['E2', 'energy'],
  ] as const) {
    const operation = context.operation(ref)
    if (!operation) continue
    const body = { data: { accountIds: [accountId] } }
    const response = await context.request(operation, { params: { customerId }, body })
    if (response.isSuccess || isMissingRecord(response)) return kind
  }
  return undefined
}

export async function findAccountIds(
  context: CheckContext,
  customerId: string,
  kind: AccountKind,
): Promise<string[]> {
  const accounts = await findAccounts(context, customerId)
  const ids = accounts.filter((account) => account.kind === kind).map(({ id }) => id)
  return ids.slice(0, accountsMax)
}

/** The accounts of a customer by id, as B1 or E1 lists them. */
export async function readAccountRecords(
  context: CheckContext,
  customerId: string,
): Promise<Map<string, Fields>> {
  const accounts = await findAccounts(context, customerId)
  return new Map(accounts.flatMap(({ id, record }) => (record ? [[id, record] as const] : [])))
}
