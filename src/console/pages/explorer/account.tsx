import type { ComponentType } from 'preact'
import type { ShareableAccount } from '../../../contract/index.ts'
import { ApiError } from '../../api.ts'
import { Facts } from '../../components/facts.tsx'
import { Identifier } from '../../components/identifier.tsx'
import { Money } from '../../components/money.tsx'
import { valueToWords } from '../../components/record-view.tsx'
import { Loaded } from '../../components/states.tsx'
import { useResource } from '../../resource.ts'
import type { ViewProps } from '../../router.ts'
import type { AccountProps } from './account-props.ts'
import { DirectDebits, ScheduledPayments } from './banking.tsx'
import { Billing, Invoices } from './billing.tsx'
import { callProvider, unlessMissing } from './calls.ts'
import { AccountRecord, Contact } from './details.tsx'
import { ExplorerLayout } from './layout.tsx'
import { readList } from './read-list.ts'
import { Transactions } from './transactions.tsx'
import { accountUrl, customerUrl, explorerCrumbs } from './urls.ts'
import { Why } from './why.tsx'

interface OpenAccount extends Pick<AccountProps, 'kind' | 'balance'> {
  readonly account: ShareableAccount
}

const fuelTypes: readonly string[] = ['ELECTRICITY', 'GAS', 'DUAL']

/** The list of accounts to share says what an account is, unless the account has no type. */
async function openAccount(
  customerId: string,
  accountId: string,
  signal: AbortSignal,
): Promise<OpenAccount> {
  const params = { customerId }
  const { accounts } = await callProvider({ operation: 'listShareableAccounts', params }, signal)
  const account = accounts.find(({ id }) => id === accountId)
  if (!account) throw new ApiError(404, 'The customer has no account with this id to share.')
  const kind = await findKind(account, customerId, signal)
  if (kind === 'energy') return { account, kind }
  const balances = await unlessMissing(
    'balance_in_query_not_found',
    readList('listBankingBalances', { customerId, accountId }, {}, signal),
  )
  return { account, kind, balance: balances?.rows[0] }
}

async function findKind(
  { id, type }: ShareableAccount,
  customerId: string,
  signal: AbortSignal,
): Promise<AccountProps['kind']> {
  if (type) return fuelTypes.includes(type) ? 'energy' : 'banking'
  try {
    await readList('listEnergyAccountDetails', { customerId, accountId: id }, {}, signal)
    return 'energy'
  } catch (error) {
    if (error instanceof ApiError && error.status === 422) return 'banking'
    throw error
  }
}

interface Tab {
  /** The parameter `tab` of the view; empty for the first. */
  readonly name: string
  readonly title: string
  readonly View: ComponentType<AccountProps>
}

const contactTab: Tab = { name: 'contact', title: 'Contact', View: Contact }

const tabs: Readonly<Record<AccountProps['kind'], readonly Tab[]>> = {
  banking: [
    { name: '', title: 'Transactions', View: Transactions },
    { name: 'scheduled', title: 'Scheduled payments', View: ScheduledPayments },
    { name: 'debits', title: 'Direct debits', View: DirectDebits },
    { name: 'details', title: 'Rates, fees and features', View: AccountRecord },
    contactTab,
  ],
  energy: [
    { name: '', title: 'Invoices', View: Invoices },
    { name: 'billing', title: 'Billing', View: Billing },
    { name: 'details', title: 'Plans', View: AccountRecord },
    contactTab,
  ],
}

/** One account of a customer, with everything that the interface has about it. */
export function View({ params: { customerId = '', accountId = '' }, query }: ViewProps) {
  const opened = useResource(`${customerId}\n${accountId}`, (signal) =>
    openAccount(customerId, accountId, signal),
  )
  const { displayName, name, type } = opened.value?.account ?? {}
  return (
    <ExplorerLayout
      title={displayName || name || 'Account'}
      crumbs={[...explorerCrumbs, [customerId, customerUrl(customerId)]]}
      about={
        <>
          {type && `${valueToWords(type)} · `}
          <Identifier value={accountId} />
        </>
      }
      side={<Why {...{ customerId, accountId, query }} />}
    >
      <Loaded resource={opened}>
        {({ kind, balance }) => (
          <>
            <Facts
              facts={{
                'Current balance': balance && (
                  <Money amount={balance.currentBalance} currency={balance.currency} />
                ),
                'Available balance': balance && (
                  <Money amount={balance.availableBalance} currency={balance.currency} />
                ),
              }}
            />
            <Tabs {...{ kind, customerId, accountId, query, balance }} />
          </>
        )}
      </Loaded>
    </ExplorerLayout>
  )
}

function Tabs(props: AccountProps) {
  const shown = tabs[props.kind]
  const selected = props.query.get('tab') ?? ''
  const current = shown.find(({ name }) => name === selected) ?? shown[0]
  const url = accountUrl(props.customerId, props.accountId)
  return (
    <>
      <nav class="tabs" aria-label="Data of the account">
        {shown.map(({ name, title }) => (
          <a
            key={name}
            href={name ? `${url}?tab=${name}` : url}
            aria-current={name === current?.name ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      <div class="tab" key={current?.name}>
        {current && <current.View {...props} />}
      </div>
    </>
  )
}
