import type { ComponentType } from 'preact'
import { ApiError } from '../../api.ts'
import { Facts } from '../../components/facts.tsx'
import { Identifier } from '../../components/identifier.tsx'
import { Money } from '../../components/money.tsx'
import { valueToWords } from '../../components/record-view.tsx'
import { Loaded } from '../../components/states.tsx'
import { useResource } from '../../resource.ts'
import type { ViewProps } from '../../router.ts'
import type { AccountProps } from './account-props.ts'
import { AccountState } from './account-state.tsx'
import { DirectDebits, ScheduledPayments } from './banking.tsx'
import { Billing, Invoices } from './billing.tsx'
import { callProvider, unlessMissing } from './calls.ts'
import { AccountRecord, Contact } from './details.tsx'
import { readsConsents } from './find.ts'
import { type HeldAccount, listHeldAccounts } from './held-accounts.ts'
import { ExplorerLayout } from './layout.tsx'
import { readList } from './read-list.ts'
import { SharingConsents } from './sharing-consents.tsx'
import { Transactions } from './transactions.tsx'
import { accountUrl, customerUrl, explorerCrumbs } from './urls.ts'
import { Why } from './why.tsx'

interface OpenAccount extends Pick<AccountProps, 'balance'> {
  readonly account: HeldAccount
}

async function openAccount(
  customerId: string,
  accountId: string,
  signal: AbortSignal,
): Promise<OpenAccount> {
  const accounts = await listHeldAccounts(customerId, signal)
  const account = accounts.find(({ id }) => id === accountId)
  if (!account) throw new ApiError(404, 'The customer does not hold an account with this ID.')
  if (account.kind === 'energy') return { account }
  const balances = await unlessMissing(
    'balance_in_query_not_found',
    readList('listBankingBalances', { customerId, accountId }, {}, signal),
  )
  return { account, balance: balances?.rows[0] }
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
  const customer = useResource(customerId, (signal) =>
    callProvider({ operation: 'getCustomer', params: { customerId } }, signal),
  )
  const account = opened.value?.account
  return (
    <ExplorerLayout
      title={account?.name ?? 'Account'}
      state={account && <AccountState account={account} />}
      crumbs={[...explorerCrumbs, [customer.value?.name || customerId, customerUrl(customerId)]]}
      about={
        <>
          {account?.type && `${valueToWords(account.type)} · `}
          {account?.number && `${account.number} · `}
          <Identifier value={accountId} />
        </>
      }
      side={
        <>
          {readsConsents() && <SharingConsents {...{ customerId, accountId }} />}
          <Why {...{ customerId, accountId, query }} />
        </>
      }
    >
      <Loaded resource={opened}>
        {({ account: { kind }, balance }) => (
          <>
            {balance && (
              <section class="card balances" aria-label="Balances">
                <Facts
                  facts={{
                    'Current balance': (
                      <Money amount={balance.currentBalance} currency={balance.currency} />
                    ),
                    'Available balance': (
                      <Money amount={balance.availableBalance} currency={balance.currency} />
                    ),
                  }}
                />
              </section>
            )}
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
