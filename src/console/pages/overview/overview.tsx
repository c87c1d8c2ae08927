import type { PlatformStatus, ServerStatus } from '../../../contract/index.ts'
import { getStatus } from '../../../contract/operations/monitoring.ts'
import { read } from '../../api.ts'
import { Badge } from '../../components/badge.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Empty, Loaded, Notice } from '../../components/states.tsx'
import { Table } from '../../components/table.tsx'
import { Ago, Time } from '../../components/time.tsx'
import { capitalize, formatCount } from '../../labels.ts'
import { useResource } from '../../resource.ts'
import { Activity } from './activity.tsx'

const refreshMs = () => 5000

export function View() {
  const status = useResource('status', (signal) => read(getStatus, { signal }), {
    refreshMs,
  })
  return (
    <>
      <PageHeading title="Overview">
        {status.readAt !== undefined && (
          <span class="muted">
            Updated <Ago time={status.readAt} />
          </span>
        )}
      </PageHeading>
      <Loaded resource={status}>{(value) => <Status status={value} />}</Loaded>
    </>
  )
}

function Status({ status }: { readonly status: PlatformStatus }) {
  const { servers, counts, feeds, lastLoad } = status
  const problems = servers.filter(({ status: state }) => state !== 'ok')
  return (
    <>
      {problems.length === 0 ? (
        <Notice kind="good" title="Healthy: nothing needs attention" />
      ) : (
        <Notice kind="warn" title="Needs attention">
          <ul>
            {problems.flatMap(({ role, reasons, status: state }) =>
              (reasons.length > 0 ? reasons : [state]).map((reason) => (
                <li key={role + reason}>
                  {capitalize(role)}: {reason}
                </li>
              )),
            )}
          </ul>
        </Notice>
      )}
      <ul class="counts">
        {countItems.map(({ name, title, href }) => (
          <li key={name}>
            <strong class="number">
              {counts[name] === undefined ? '–' : formatCount(counts[name])}
            </strong>
            {href === undefined ? title : <a href={href}>{title}</a>}
            {counts.unavailable
              .filter((count) => count.name === name)
              .map(({ reason }) => (
                <span key={reason} class="muted">{` (${unavailable[reason]})`}</span>
              ))}
          </li>
        ))}
      </ul>
      <Activity />
      <h2>Servers</h2>
      <Table
        caption="Servers"
        rows={servers}
        rowKey={({ role }) => role}
        columns={[
          { title: 'Server', isHeading: true, cell: ({ role }) => capitalize(role) },
          { title: 'Health', cell: (server) => <Health server={server} /> },
          { title: 'Version', cell: ({ version }) => version ?? 'not known' },
          { title: 'Details', cell: (server) => <Details server={server} status={status} /> },
        ]}
      />
      <h2>Last load</h2>
      {lastLoad ? (
        <p>
          <Ago time={lastLoad.committed} />, <Time value={lastLoad.committed} />:{' '}
          {formatCount(lastLoad.created)} created, {formatCount(lastLoad.changed)} changed,{' '}
          {formatCount(lastLoad.unchanged)} unchanged, {formatCount(lastLoad.deleted)} deleted.
        </p>
      ) : (
        <Empty title="No load is recorded in this database">
          <p>
            <code>holdfast load FILE</code> loads customers, accounts and products.
          </p>
        </Empty>
      )}
      <h2>Feeds</h2>
      {feeds.length === 0 ? (
        <Empty title="No feeds">
          <p>
            A feed sends changes to the intake in numbered batches. It appears here with its first
            batch.
          </p>
        </Empty>
      ) : (
        <Table
          caption="Feeds"
          rows={feeds}
          rowKey={({ feed }) => feed}
          columns={[
            { title: 'Feed', isHeading: true, cell: ({ feed }) => feed },
            { title: 'Last batch', isNumber: true, cell: ({ batch }) => formatCount(batch) },
            { title: 'Received', cell: ({ time }) => <Ago time={time} /> },
            { title: 'Lines', isNumber: true, cell: ({ lines }) => formatCount(lines) },
          ]}
        />
      )}
    </>
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

const kinds = { ok: 'good', degraded: 'warn', unavailable: 'bad', undetermined: 'neutral' } as const

function Health({ server: { status, reasons } }: { readonly server: ServerStatus }) {
  return (
    <>
      <Badge kind={kinds[status]}>{status}</Badge>
      {reasons.map((reason) => (
        <div key={reason} class="muted">
          {reason}
        </div>
      ))}
    </>
  )
}

function Details({
  server: { url, started },
  status: { database },
}: {
  readonly server: ServerStatus
  readonly status: PlatformStatus
}) {
  return (
    <>
      {url !== undefined && <code>{url}</code>}
      {started !== undefined && (
        <>
          started <Ago time={started} />, database {database === 'sqlite' ? 'SQLite' : 'PostgreSQL'}
        </>
      )}
    </>
  )
}
