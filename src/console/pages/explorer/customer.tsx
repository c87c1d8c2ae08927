import { listConsents } from '../../../contract/operations/consents.ts'
import { read } from '../../api.ts'
import { Badge, StateBadge } from '../../components/badge.tsx'
import { Identifier } from '../../components/identifier.tsx'
import { RecordView, valueToWords } from '../../components/record-view.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { Table } from '../../components/table.tsx'
import { Ago } from '../../components/time.tsx'
import { useResource } from '../../resource.ts'
import type { ViewProps } from '../../router.ts'
import { statuses } from '../consents/labels.ts'
import { callProvider } from './calls.ts'
import { readsConsents } from './find.ts'
import { ExplorerLayout } from './layout.tsx'
import { accountUrl, explorerCrumbs } from './urls.ts'

/** As many as one request returns. */
const accountsMax = 1000
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

interface ListedAccount {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly number: string | undefined
  readonly isOpen: boolean
  readonly isShareable: boolean
}

/** The accounts that the customer holds, and whether each can be shared. */
async function loadAccounts(customerId: string, signal: AbortSignal): Promise<ListedAccount[]> {
  const params = { customerId }
  const query = { 'page-size': accountsMax }
  const [{ accounts }, banking, energy] = await Promise.all([
    callProvider({ operation: 'listShareableAccounts', params }, signal),
    callProvider({ operation: 'listBankingAccounts', params, query }, signal),
    callProvider({ operation: 'listEnergyAccounts', params, query }, signal),
  ])
  const held = new Map(
    [
      ...banking.data.accounts.map((each) => ({ ...each, number: each.maskedNumber })),
      ...energy.data.accounts.map((each) => ({ ...each, number: each.accountNumber })),
    ].map(({ accountId, number, displayName, openStatus }) => [
      accountId,
      { number, displayName, openStatus },
    ]),
  )
  const describe = (id: string, name: string | undefined, kind = '') => {
    const { number, openStatus, displayName } = held.get(id) ?? {}
    const isOpen = openStatus !== 'CLOSED'
    return { id, name: name || displayName || id, kind, number, isOpen }
  }
  const shareable = accounts.map(({ id, name, displayName, type }) => ({
    ...describe(id, displayName || name, type && valueToWords(type)),
    isShareable: true,
  }))
  const others = [...held.keys()].filter((id) => !accounts.some((account) => account.id === id))
  return [...shareable, ...others.map((id) => ({ ...describe(id, undefined), isShareable: false }))]
}

function Accounts({ customerId }: { readonly customerId: string }) {
  const accounts = useResource(customerId, (signal) => loadAccounts(customerId, signal))
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
                { title: 'Type', cell: ({ kind }) => kind },
                {
                  title: 'State',
                  phone: 'first',
                  cell: ({ isOpen, isShareable }) => (
                    <>
                      <Badge kind={isOpen ? 'good' : 'neutral'}>{isOpen ? 'Open' : 'Closed'}</Badge>
                      {!isShareable && <Badge kind="warn">Not shareable</Badge>}
                    </>
                  ),
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
                    <a href={`/console/consents/${encodeURIComponent(consentId)}`}>
                      <bdi>{thirdParty.name ?? 'Removed'}</bdi>
                    </a>
                  ),
                },
                {
                  title: 'Status',
                  phone: 'first',
                  cell: ({ status }) => <StateBadge label={statuses[status]} />,
                },
                { title: 'Accounts', isNumber: true, cell: ({ accountIds }) => accountIds.length },
                {
                  title: 'Last change',
                  isNumber: true,
                  cell: ({ updated }) => <Ago time={updated} />,
                },
              ]}
            />
          )
        }
      </Loaded>
    </>
  )
}
