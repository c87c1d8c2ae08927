import type { Consent } from '../../../contract/index.ts'
import { listConsents } from '../../../contract/operations/consents.ts'
import { read } from '../../api.ts'
import { Card } from '../../components/card.tsx'
import { Empty, Skeleton } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { useResource } from '../../resource.ts'
import { changeColumn, consentUrl, statusColumn, ThirdPartyName } from '../consents/columns.tsx'

const shownMax = 5
const refreshMs = () => 15_000

const columns: readonly Column<Consent>[] = [
  {
    title: 'Customer',
    isHeading: true,
    cell: ({ consentId, customerId }) => <a href={consentUrl(consentId)}>{customerId}</a>,
  },
  { title: 'Third party', cell: ThirdPartyName },
  statusColumn,
  changeColumn,
]

/** The consents that changed last. */
export function LatestConsents() {
  const consents = useResource(
    'latest consents',
    (signal) => read(listConsents, { query: { order: 'newest', 'page-size': shownMax }, signal }),
    { refreshMs, keepValue: true },
  )
  const { value } = consents
  return (
    <Card title="Latest consents" actions={<a href="/console/consents">All consents</a>}>
      {/* If they cannot be read, the rest of the page says why. */}
      {value === undefined ? (
        consents.error ? (
          <p class="muted">They cannot be read now.</p>
        ) : (
          <Skeleton lines={2} />
        )
      ) : value.data.length === 0 ? (
        <Empty title="No customer has given a consent yet" />
      ) : (
        <Table
          caption="Latest consents"
          columns={columns}
          rows={value.data}
          rowKey={({ consentId }) => consentId}
        />
      )}
    </Card>
  )
}
