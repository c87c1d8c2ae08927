import { isObject } from '../contract/schema.ts'
import type { CheckContext } from './context.ts'
import { type Fields, walkAccounts } from './lists.ts'
import { skip } from './outcome.ts'

/** What is known of an account before its lists are looked at. */
export interface Account {
  readonly id: string
  readonly kind: 'banking' | 'energy'
  /** As B1 or E1 shows it, where the provider has them. */
  readonly record?: Fields
}

/** How many people, and accounts of each, are looked at: enough to judge, few enough to be polite. */
const customersMax = 6
const accountsMax = 30

/** The customers that were named, and those behind the addresses that were. */
export function customersOf(world: CheckContext): Promise<readonly string[]> {
  return world.once('customers', async () => {
    const ids = [...world.options.customers]
    for (const email of world.options.emails) ids.push(...(await customersByEmail(world, email)))
    const customers = [...new Set(ids)].slice(0, customersMax)
    if (customers.length === 0) skip('no customer was found with the addresses given')
    return customers
  })
}

export async function customersByEmail(world: CheckContext, email: string): Promise<string[]> {
  const search = world.operation('C1')
  if (!search) return []
  const { body } = await world.ask(search, { body: { email } })
  const matches = isObject(body) && Array.isArray(body['data']) ? body['data'] : []
  return matches.flatMap((match) => (isObject(match) ? [String(match['id'])] : []))
}

/** What C2 lists, by id; undefined where the provider has no C2 or it did not answer. */
export function shareableOf(
  world: CheckContext,
  customerId: string,
): Promise<string[] | undefined> {
  return world.once(`shareable ${customerId}`, async () => {
    const list = world.operation('C2')
    if (!list) return undefined
    const { body, isSuccess } = await world.ask(list, { params: { customerId } })
    if (!isSuccess || !isObject(body) || !Array.isArray(body['accounts'])) return undefined
    return body['accounts'].flatMap((account) => (isObject(account) ? [String(account['id'])] : []))
  })
}

/** Every account that any list of the provider shows the customer. */
export function accountsOf(world: CheckContext, customerId: string): Promise<readonly Account[]> {
  return world.once(`accounts ${customerId}`, async () => {
    const listed = new Map<string, Account>()
    for (const [ref, kind] of [
      ['B1', 'banking'],
      ['E1', 'energy'],
    ] as const) {
      for (const record of await walkAccounts(world, ref, customerId)) {
        const id = String(record['accountId'])
        listed.set(id, { id, kind, record })
      }
    }
    const shareable = (await shareableOf(world, customerId)) ?? []
    for (const id of shareable.filter((each) => !listed.has(each)).slice(0, accountsMax)) {
      const kind = await kindOf(world, customerId, id)
      if (kind) listed.set(id, { id, kind })
    }
    return [...listed.values()]
  })
}

/** C2 does not say in so many words what an account is: whoever knows it does. */
export async function kindOf(
  world: CheckContext,
  customerId: string,
  accountId: string,
): Promise<Account['kind'] | undefined> {
  for (const [ref, kind] of [
    ['B2', 'banking'],
    ['E2', 'energy'],
  ] as const) {
    const operation = world.operation(ref)
    if (!operation) continue
    const body = { data: { accountIds: [accountId] } }
    if ((await world.ask(operation, { params: { customerId }, body })).isSuccess) return kind
  }
  return undefined
}

export async function accountIdsOf(
  world: CheckContext,
  customerId: string,
  kind: Account['kind'],
): Promise<string[]> {
  const accounts = await accountsOf(world, customerId)
  const ids = accounts.filter((account) => account.kind === kind).map(({ id }) => id)
  return ids.slice(0, accountsMax)
}
