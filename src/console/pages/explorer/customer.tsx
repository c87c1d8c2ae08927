import { Identifier } from '../../components/identifier.tsx'
import { RecordView, valueToWords } from '../../components/record-view.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { Table } from '../../components/table.tsx'
import { useResource } from '../../resource.ts'
import type { ViewProps } from '../../router.ts'
import { callProvider } from './calls.ts'
import { ExplorerLayout } from './layout.tsx'
import { accountUrl, explorerCrumbs } from './urls.ts'

/** A customer: what identifies them, and the accounts that they can share. */
export function View({ params: { customerId = '' } }: ViewProps) {
  const customer = useResource(customerId, (signal) =>
    callProvider({ operation: 'getCustomer', params: { customerId } }, signal),
  )
  return (
    <ExplorerLayout
      title={customer.value?.name || 'Customer'}
      crumbs={explorerCrumbs}
      about={<Identifier value={customerId} />}
    >
      <Loaded resource={customer}>
        {(value) => (
          <>
            <Accounts customerId={customerId} />
            <details class="card">
              <summary>Identity</summary>
              <RecordView value={value} />
            </details>
          </>
        )}
      </Loaded>
    </ExplorerLayout>
  )
}

/** With the masked numbers of bank accounts and the numbers of energy accounts, which the list to share does not have. */
async function loadAccounts(customerId: string, signal: AbortSignal) {
  const params = { customerId }
  const query = { 'page-size': 100 }
  const [{ accounts }, banking, energy] = await Promise.all([
    callProvider({ operation: 'listShareableAccounts', params }, signal),
    callProvider({ operation: 'listBankingAccounts', params, query }, signal),
    callProvider({ operation: 'listEnergyAccounts', params, query }, signal),
  ])
  const numbers = new Map([
    ...banking.data.accounts.map(
      ({ accountId, maskedNumber }) => [accountId, maskedNumber] as const,
    ),
    ...energy.data.accounts.map(
      ({ accountId, accountNumber }) => [accountId, accountNumber] as const,
    ),
  ])
  return accounts.map((account) => ({ ...account, number: numbers.get(account.id) }))
}

function Accounts({ customerId }: { readonly customerId: string }) {
  const accounts = useResource(customerId, (signal) => loadAccounts(customerId, signal))
  return (
    <>
      <h2>Accounts that the customer can share</h2>
      <Loaded resource={accounts}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="The customer has no accounts to share">
              <p>
                Load accounts with this customer as a holder, with <code>holdfast load</code>.
              </p>
            </Empty>
          ) : (
            <Table
              caption="Accounts"
              rows={list}
              rowKey={({ id }) => id}
              columns={[
                {
                  title: 'Account',
                  isHeading: true,
                  cell: ({ id, name, displayName }) => (
                    <a href={accountUrl(customerId, id)}>{displayName || name || id}</a>
                  ),
                },
                { title: 'Type', cell: ({ type }) => (type ? valueToWords(type) : '') },
                { title: 'Number', phone: 'first', cell: ({ number }) => number ?? '' },
                { title: 'ID', cell: ({ id }) => <Identifier value={id} /> },
              ]}
            />
          )
        }
      </Loaded>
    </>
  )
}
