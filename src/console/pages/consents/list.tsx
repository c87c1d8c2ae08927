import type { Consent } from '../../../contract/index.ts'
import { listConsents } from '../../../contract/operations/consents.ts'
import { read } from '../../api.ts'
import { listStates, StateBadge } from '../../components/badge.tsx'
import { SecondaryLink } from '../../components/button.tsx'
import { ChipInput, ChipSelect } from '../../components/field.tsx'
import { Identifier } from '../../components/identifier.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { type Column, CursorPager, Table } from '../../components/table.tsx'
import { Ago, formatDay, formatTime } from '../../components/time.tsx'
import { useResource } from '../../resource.ts'
import { setQuery, type ViewProps } from '../../router.ts'
import { messageStateLabels, statuses } from './labels.ts'

/** The filters of the view, which are parameters of its address and of the operation. */
const filters = ['status', 'third-party', 'customer'] as const

export function View({ query }: ViewProps) {
  const selected = Object.fromEntries(
    [...filters, 'cursor'].map((name) => [name, query.get(name) ?? undefined]),
  )
  const list = useResource(
    query.toString(),
    (signal) => read(listConsents, { query: { ...selected, order: 'newest' }, signal }),
    { keepValue: true },
  )
  const isFiltered = filters.some((name) => selected[name] !== undefined)
  return (
    <>
      <PageHeading
        title="Consents"
        about="What customers agreed to share with third parties, the last change first"
      >
        <SecondaryLink href="/console/consents/flows">Consent flows</SecondaryLink>
        <SecondaryLink href="/console/consents/corrections">Corrections</SecondaryLink>
      </PageHeading>
      <Filters query={query} />
      <div aria-busy={list.isLoading}>
        <Loaded resource={list}>
          {({ data, next }) => (
            <>
              {data.length === 0 ? (
                <NoConsents isFiltered={isFiltered} />
              ) : (
                <Table
                  caption="Consents"
                  columns={columns}
                  rows={data}
                  rowKey={({ consentId }) => consentId}
                >
                  <CursorPager cursor={selected['cursor']} next={next} noun="consents" />
                </Table>
              )}
            </>
          )}
        </Loaded>
      </div>
    </>
  )
}

const columns: readonly Column<Consent>[] = [
  {
    title: 'Consent',
    isHeading: true,
    cell: ({ consentId }) => (
      <a href={`/console/consents/${encodeURIComponent(consentId)}`} title={consentId}>
        <code>{consentId.slice(0, 8)}</code>
      </a>
    ),
  },
  {
    title: 'Status',
    phone: 'first',
    cell: ({ status, messages }) => (
      <span class="badges">
        <StateBadge label={statuses[status]} />
        <Undelivered messages={messages} />
      </span>
    ),
  },
  {
    title: 'Third party',
    isLong: true,
    cell: ({ thirdParty: { id, name } }) => (
      <a href={`/console/consents?third-party=${encodeURIComponent(id)}`}>
        <bdi>{name ?? 'Removed'}</bdi>
      </a>
    ),
  },
  { title: 'Customer', cell: ({ customerId }) => <Identifier value={customerId} /> },
  { title: 'Accounts', isNumber: true, isExtra: true, cell: ({ accountIds }) => accountIds.length },
  {
    title: 'Until',
    phone: 'hidden',
    cell: ({ until }) => (
      <time dateTime={until} title={formatTime(until)}>
        {formatDay(until)}
      </time>
    ),
  },
  { title: 'Last change', isNumber: true, cell: ({ updated }) => <Ago time={updated} /> },
]

/** Whether messages wait or were given up. */
function Undelivered({ messages }: Pick<Consent, 'messages'>) {
  const [state] = (['given_up', 'waiting'] as const).filter((each) =>
    messages.some((message) => message.state === each),
  )
  if (!state) return null
  const [kind, word] = messageStateLabels[state]
  return <StateBadge label={[kind, `Message ${word.toLowerCase()}`]} />
}

function Filters({ query }: Pick<ViewProps, 'query'>) {
  const set = (name: (typeof filters)[number]) => (value: string) =>
    setQuery({ [name]: value, cursor: undefined })
  return (
    <search class="toolbar" aria-label="Filter consents">
      <ChipSelect
        label="Status"
        value={query.get('status') ?? ''}
        options={listStates(statuses)}
        onSelect={set('status')}
      />
      <ChipInput
        label="Third party ID"
        value={query.get('third-party') ?? ''}
        onCommit={set('third-party')}
      />
      <ChipInput
        label="Customer ID"
        value={query.get('customer') ?? ''}
        onCommit={set('customer')}
      />
      {filters.some((name) => query.has(name)) && <a href="/console/consents">Remove filters</a>}
    </search>
  )
}

function NoConsents({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="No consent matches the filters">
        <p>Remove a filter, or check the IDs.</p>
      </Empty>
    )
  }
  return (
    <Empty title="No customer has given a consent yet">
      <p>
        A consent appears here when a customer agrees to share data with a third party. To register
        a third party, run <code>holdfast client add NAME --redirect-uri URL --jwks FILE</code>. In
        the demo, connect Demo Bank in Example Budget.
      </p>
    </Empty>
  )
}
