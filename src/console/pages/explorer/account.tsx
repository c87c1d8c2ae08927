import type { ComponentChildren } from 'preact'
import type { BankingBalance, ShareableAccount } from '../../../contract/index.ts'
import { ApiError } from '../../api.ts'
import { Badge } from '../../components/badge.tsx'
import { Identifier } from '../../components/identifier.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { valueToWords } from '../../components/record-view.tsx'
import { useResource } from '../../resource.ts'
import type { ViewProps } from '../../view-props.ts'
import type { AccountKind, AccountProps } from './account-props.ts'
import { Balance, DirectDebits, ScheduledPayments } from './banking.tsx'
import { Billing, Invoices } from './billing.tsx'
import { callProvider } from './calls.ts'
import { AccountRecord, Contact } from './details.tsx'
import { ExplorerLayout } from './layout.tsx'
import { readList } from './read-list.ts'
import { Transactions } from './transactions.tsx'
import { accountUrl, customerUrl } from './urls.ts'

interface OpenAccount {
  readonly kind: AccountKind
  readonly balance?: BankingBalance | undefined
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
  const { rows } = await readList('listBankingBalances', { customerId, accountId }, {}, signal)
  return { account, kind, balance: rows[0] }
}

async function findKind(
  { id, type }: ShareableAccount,
  customerId: string,
  signal: AbortSignal,
): Promise<AccountKind> {
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
  readonly show: (props: AccountProps) => ComponentChildren
}

const contactTab: Tab = {
  name: 'contact',
  title: 'Contact',
  show: (props) => <Contact {...props} />,
}

const tabs: Readonly<Record<AccountKind, readonly Tab[]>> = {
  banking: [
    { name: '', title: 'Transactions', show: (props) => <Transactions {...props} /> },
    {
      name: 'scheduled',
      title: 'Scheduled payments',
      show: (props) => <ScheduledPayments {...props} />,
    },
    { name: 'debits', title: 'Direct debits', show: (props) => <DirectDebits {...props} /> },
    {
      name: 'details',
      title: 'Rates, fees and features',
      show: (props) => <AccountRecord kind="banking" {...props} />,
    },
    contactTab,
  ],
  energy: [
    { name: '', title: 'Invoices', show: (props) => <Invoices {...props} /> },
    { name: 'billing', title: 'Billing', show: (props) => <Billing {...props} /> },
    {
      name: 'details',
      title: 'Plans',
      show: (props) => <AccountRecord kind="energy" {...props} />,
    },
    contactTab,
  ],
}

/** One account of a customer, with everything that the interface has about it. */
export function View({ params: { customerId = '', accountId = '' }, query }: ViewProps) {
  const opened = useResource(`${customerId}\n${accountId}`, (signal) =>
    openAccount(customerId, accountId, signal),
  )
  const { displayName, name } = opened.value?.account ?? {}
  const props = { customerId, accountId, query }
  return (
    <ExplorerLayout title={displayName || name || 'Account'}>
      <p>
        <a href={customerUrl(customerId)}>All accounts of the customer</a>
      </p>
      <Loaded resource={opened}>
        {({ kind, account, balance }) => (
          <>
            <dl class="facts">
              <dt>Account</dt>
              <dd>
                <Identifier value={accountId} />{' '}
                {account.type && <Badge>{valueToWords(account.type)}</Badge>}
              </dd>
              {balance && <Balance balance={balance} />}
            </dl>
            <Tabs kind={kind} {...props} balance={balance} />
          </>
        )}
      </Loaded>
    </ExplorerLayout>
  )
}

function Tabs({ kind, ...props }: AccountProps & { readonly kind: AccountKind }) {
  const selected = props.query.get('tab') ?? ''
  const current = tabs[kind].find(({ name }) => name === selected) ?? tabs[kind][0]
  const url = accountUrl(props.customerId, props.accountId)
  return (
    <>
      <nav class="tabs" aria-label="Data of the account">
        {tabs[kind].map(({ name, title }) => (
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
        {current?.show(props)}
      </div>
    </>
  )
}
