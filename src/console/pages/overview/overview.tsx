import { useMemo } from 'preact/hooks'
import type { PlatformStatus } from '../../../contract/index.ts'
import { capitalize } from '../../../contract/labels.ts'
import { getStatus } from '../../../contract/operations/monitoring.ts'
import { read } from '../../api.ts'
import { StateBadge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Loaded } from '../../components/states.tsx'
import { Table } from '../../components/table.tsx'
import { Ago } from '../../components/time.tsx'
import { formatCount } from '../../labels.ts'
import { withoutTools } from '../../metrics-buckets.ts'
import { useMetricsStream } from '../../metrics-stream.ts'
import { useResource } from '../../resource.ts'
import { features, hasScope, providerName } from '../../session.ts'
import { Figures, hasFigures, MissingFigures, Requests } from './activity.tsx'
import { Attention } from './attention.tsx'
import { Feeds } from './feeds.tsx'
import { LastDay } from './last-day.tsx'
import { LatestConsents } from './latest-consents.tsx'

const refreshMs = () => 5000

export function View() {
  const status = useResource('status', (signal) => read(getStatus, { signal }), {
    refreshMs,
  })
  return (
    <>
      <PageHeading
        title="Overview"
        about={
          <>
            {providerName.value}
            {status.readAt !== undefined && (
              <>
                {providerName.value && ' · '}updated <Ago time={status.readAt} />
              </>
            )}
          </>
        }
      />
      <Loaded resource={status}>
        {(value) => <Status status={value} isCurrent={status.error === undefined} />}
      </Loaded>
    </>
  )
}

function Status({
  status,
  isCurrent,
}: {
  readonly status: PlatformStatus
  /** False if the status could not be read again. */
  readonly isCurrent: boolean
}) {
  const stream = useMetricsStream()
  const isMeasured = hasFigures(stream)
  const samples = useMemo(() => stream.samples.map(withoutTools), [stream.samples])
  const showsConsents = features.value.includes('consent') && hasScope('consent.read')
  return (
    <div class="overview">
      <Attention status={status} isCurrent={isCurrent} />
      <MissingFigures stream={stream} />
      {isMeasured && <Figures samples={samples} feeds={status.feeds} />}
      <Counts counts={status.counts} />
      <div class="grid">
        {isMeasured && <Requests samples={samples} />}
        <Servers status={status} />
        {showsConsents && <LatestConsents />}
        <Feeds feeds={status.feeds} lastLoad={status.lastLoad} />
      </div>
      <LastDay />
    </div>
  )
}

function Counts({ counts }: Pick<PlatformStatus, 'counts'>) {
  return (
    <ul class="counts card">
      {countItems.map(({ name, title, href }) => (
        <li key={name}>
          <strong class="number">
            {counts[name] === undefined ? '–' : formatCount(counts[name])}
          </strong>{' '}
          {href === undefined ? title : <a href={href}>{title}</a>}
          {counts.unavailable
            .filter((count) => count.name === name)
            .map(({ reason }) => (
              <span key={reason} class="muted">{` (${unavailable[reason]})`}</span>
            ))}
        </li>
      ))}
    </ul>
  )
}

const countItems = [
  { name: 'customers', title: 'Customers', href: undefined },
  { name: 'accounts', title: 'Accounts', href: undefined },
  { name: 'products', title: 'Products', href: '/console/catalogue' },
  { name: 'drafts', title: 'Drafts', href: '/console/catalogue?state=DRAFT' },
  { name: 'activeConsents', title: 'Active consents', href: '/console/consents' },
] as const

/** Why a count is not available. */
const unavailable = {
  denied: 'not visible to the platform’s database role',
  pending: 'still being counted',
  failed: 'the database could not count them in time',
} as const

/** The words for the health of a server. */
const healths = {
  ok: ['good', 'Ready'],
  degraded: ['warn', 'Degraded'],
  unavailable: ['bad', 'Unavailable'],
  undetermined: ['neutral', 'Not known'],
} as const

function Servers({ status: { servers, database } }: { readonly status: PlatformStatus }) {
  return (
    <Card title="Servers" note={database === 'sqlite' ? 'on SQLite' : 'on PostgreSQL'}>
      <Table
        caption="Servers"
        rows={servers}
        rowKey={({ role }) => role}
        columns={[
          { title: 'Server', isHeading: true, cell: ({ role }) => capitalize(role) },
          {
            title: 'State',
            phone: 'first',
            cell: ({ status }) => <StateBadge label={healths[status]} />,
          },
          { title: 'Version', cell: ({ version }) => version ?? 'Not known' },
          {
            title: 'Address',
            cell: ({ role, url }) => (
              <code>
                {role === 'platform' ? window.location.host : url?.replace(/^https?:\/\//, '')}
              </code>
            ),
          },
        ]}
      />
    </Card>
  )
}
