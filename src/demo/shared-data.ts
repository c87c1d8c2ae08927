import {
  type Account,
  type Balance,
  computeBudget,
  monthCount,
  type SharedData,
  type Transaction,
} from './budget.ts'
import type { ThirdPartyOptions } from './platform-calls.ts'
import type { Session } from './sessions.ts'
import { readName, readResource } from './third-party.ts'

/** Of each account. The demo's customers have fewer. */
const transactionsMax = 1000
const accountsMax = 20

interface List<Name extends string, Item> {
  readonly data: Readonly<Record<Name, readonly Item[]>>
}

/** Reads what the customer shared. Throws `Refused`. */
export async function readSharedData(
  options: ThirdPartyOptions,
  session: Session,
  now: Temporal.Instant,
): Promise<SharedData> {
  const banking = `${options.issuer}/cds-au/v1/banking/accounts`
  const accounts = (await readResource(options, session, banking, {
    version: 3,
    title: 'Reads the accounts',
    rule: 'Only accounts that the customer selected exist for the third party. Their ids are different for each third party.',
  })) as List<'accounts', Account>
  const balances = (await readResource(options, session, `${banking}/balances`, {
    version: 2,
    title: 'Reads the balances',
    rule: 'Every call is checked again: token, proof, scope, and whether the arrangement is active.',
  })) as List<'balances', Balance>
  const today = now.toZonedDateTimeISO('UTC').toPlainDate()
  const first = today.with({ day: 1 }).subtract({ months: monthCount - 1 })
  const query = `oldest-time=${first}T00:00:00Z&page-size=${transactionsMax}`
  const shown = accounts.data.accounts.slice(0, accountsMax)
  const transactions: Transaction[] = []
  for (const { accountId, displayName } of shown) {
    const url = `${banking}/${encodeURIComponent(accountId)}/transactions?${query}`
    const list = (await readResource(options, session, url, {
      version: 1,
      title: `Reads the transactions of ${displayName}`,
      rule: 'The platform signs a new token for the provider: it is valid for this account, and for one request.',
    })) as List<'transactions', Transaction>
    transactions.push(...list.data.transactions)
  }
  const own = balances.data.balances
  return {
    name: await readName(options, session),
    accounts: shown.map((account) => ({
      ...account,
      balance: own.find(({ accountId }) => accountId === account.accountId),
    })),
    transactionCount: transactions.length,
    ...computeBudget(transactions, first),
    currency: own[0]?.currency ?? 'AUD',
    read: now,
  }
}
