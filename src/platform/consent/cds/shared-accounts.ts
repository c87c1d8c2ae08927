import type { Client } from '../../../client/client.ts'
import { bankingAccount } from '../../../contract/cds/shared/banking-account.ts'
import { energyAccount } from '../../../contract/cds/shared/energy-account.ts'
import {
  type BankingAccount,
  type BankingAccountV3,
  type EnergyAccount,
  pageSizeMax,
} from '../../../contract/index.ts'
import type { Query } from '../../cds/query.ts'
import { type CdsBody, type RecordSource, readPage } from './pages.ts'
import { readSelectedAccounts } from './selected-accounts.ts'
import {
  ask,
  type CdsCall,
  resolveAccount,
  selectShared,
  toInput,
  writeRecord,
} from './shared-data.ts'

/** May throw `CdsError` and `ProviderUnavailable`. */
export type Handler = (call: CdsCall) => Promise<CdsBody>

type AnyBankingAccount = BankingAccount | BankingAccountV3

/** The shared bank accounts, in the order of the provider. `query` is for the provider. */
export async function listBankAccounts(
  call: CdsCall,
  query: Query = {},
): Promise<readonly AnyBankingAccount[]> {
  return readShared(call, query, (client, input) => client.listBankingAccounts.items(input))
}

/**
 * The shared bank accounts that the filters of the request select. Accounts that Get Accounts leaves out are in no list of
 * all accounts.
 */
export async function selectBankAccounts(call: CdsCall): Promise<readonly AnyBankingAccount[]> {
  const { query, version, endpoint } = call
  // The interface cannot filter by every category, so this filter is applied here.
  const category = query['product-category']
  const accounts = await listBankAccounts(call, pick(query, 'open-status', 'is-owned'))
  return accounts.filter(
    (account) =>
      (category === undefined || category === account.productCategory) &&
      (account.productCategory !== 'BUY_NOW_PAY_LATER' ||
        version >= (endpoint.payLaterSince ?? 0)) &&
      writeRecord(call, account, bankingAccount) !== undefined,
  )
}

/** The shared energy accounts, in the order of the provider. `query` is for the provider. */
export async function listEnergyAccounts(
  call: CdsCall,
  query: Query = {},
): Promise<readonly EnergyAccount[]> {
  return readShared(call, query, (client, input) => client.listEnergyAccounts.items(input))
}

/** The shared accounts of all pages of a list. */
async function readShared<Account extends { readonly accountId: string }>(
  call: CdsCall,
  query: Query,
  list: (
    client: Client,
    input: ReturnType<typeof toInput> & { readonly query: Query },
  ) => AsyncIterable<Account>,
): Promise<readonly Account[]> {
  const input = { ...toInput(call), query: { ...query, 'page-size': pageSizeMax } }
  const accounts = await ask(call, (client) => Array.fromAsync(list(client, input)))
  return selectShared(call, accounts ?? [])
}

/** The shared energy accounts that Get Energy Accounts lists. */
export async function selectEnergyAccounts(call: CdsCall): Promise<readonly EnergyAccount[]> {
  const accounts = await listEnergyAccounts(call, pick(call.query, 'open-status'))
  return accounts.filter((account) => writeRecord(call, account, energyAccount) !== undefined)
}

/** Handlers of the lists of a kind of accounts. */
export function createListHandlers(
  list: typeof listBankAccounts | typeof listEnergyAccounts,
  select: typeof selectBankAccounts | typeof selectEnergyAccounts,
) {
  return {
    ofAccount: (source: RecordSource): Handler => {
      return (call) => readPage(call, source, [resolveAccount(call)])
    },
    ofAll: (source: RecordSource): Handler => {
      return async (call) => readPage(call, source, toIds(await select(call)))
    },
    ofSelected: (source: RecordSource): Handler => {
      return async (call) => {
        const accounts = await readSelectedAccounts(call, list)
        return readPage(call, source, [...accounts.values()])
      }
    },
  }
}

export function toIds(accounts: readonly { readonly accountId: string }[]): readonly string[] {
  return accounts.map(({ accountId }) => accountId)
}

/** The parameters that the provider is asked with. */
export function pick(query: Query, ...names: readonly string[]): Query {
  return Object.fromEntries(
    names.filter((name) => query[name] !== undefined).map((name) => [name, query[name]]),
  )
}
