import { listConsents } from '../../../contract/operations/consents.ts'
import { read } from '../../api.ts'
import { Identifier } from '../../components/identifier.tsx'
import { RecordView, valueToWords } from '../../components/record-view.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { Table } from '../../components/table.tsx'
import { useResource } from '../../resource.ts'
import type { ViewProps } from '../../router.ts'
import {
  accountsColumn,
  changeColumn,
  consentUrl,
  statusColumn,
  ThirdPartyName,
} from '../consents/columns.tsx'
import { AccountState } from './account-state.tsx'
import { callProvider } from './calls.ts'
import { readsConsents } from './find.ts'
import { listHeldAccounts } from './held-accounts.ts'
import { ExplorerLayout } from './layout.tsx'
import { accountUrl, explorerCrumbs } from './urls.ts'

const consentsMax = 10

/** A customer: what identifies them, the accounts, and the consents that share them. */
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
            {readsConsents() && <Consents customerId={customerId} />}
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

function Accounts({ customerId }: { readonly customerId: string }) {
  const accounts = useResource(customerId, (signal) => listHeldAccounts(customerId, signal))
  return (
    <>
      <h2>Accounts</h2>
      <Loaded resource={accounts}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="The customer has no accounts">
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
                  cell: ({ id, name }) => <a href={accountUrl(customerId, id)}>{name}</a>,
                },
                { title: 'Type', cell: ({ type }) => type && valueToWords(type) },
                {
                  title: 'State',
                  phone: 'first',
                  cell: (account) => <AccountState account={account} />,
                },
                { title: 'Number', cell: ({ number }) => number ?? '' },
                { title: 'ID', cell: ({ id }) => <Identifier value={id} /> },
              ]}
            />
          )
        }
      </Loaded>
    </>
  )
}

/** The consents of the customer that changed last, on this platform. */
function Consents({ customerId }: { readonly customerId: string }) {
  const consents = useResource(`consents ${customerId}`, (signal) => {
    const query = { customer: customerId, order: 'newest', 'page-size': consentsMax }
    return read(listConsents, { query, signal })
  })
  return (
    <>
      <h2>Consents</h2>
      <Loaded resource={consents}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="The customer has not shared data here" />
          ) : (
            <Table
              caption="Consents"
              rows={data}
              rowKey={({ consentId }) => consentId}
              columns={[
                {
                  title: 'Third party',
                  isHeading: true,
                  cell: ({ consentId, thirdParty }) => (
                    <a href={consentUrl(consentId)}>
                      <ThirdPartyName thirdParty={thirdParty} />
                    </a>
                  ),
                },
                statusColumn,
                accountsColumn,
                changeColumn,
              ]}
            />
          )
        }
      </Loaded>
    </>
  )
}
