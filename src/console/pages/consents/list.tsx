import type { Consent } from '../../../contract/index.ts'
import { listConsents } from '../../../contract/operations/consents.ts'
import { read } from '../../api.ts'
import { listStates, StateBadge } from '../../components/badge.tsx'
import { SecondaryLink } from '../../components/button.tsx'
import { ParameterField, readForm, SelectField } from '../../components/field.tsx'
import { Identifier } from '../../components/identifier.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { type Column, CursorPager, Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
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
      <PageHeading title="Consents">
        <SecondaryLink href="/console/consents/flows">Consent flows</SecondaryLink>
      </PageHeading>
      <p>What customers agreed to share with third parties, the last change first.</p>
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
                />
              )}
              <CursorPager cursor={selected['cursor']} next={next} noun="consents" />
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
    cell: ({ status, messages }) => (
      <>
        <StateBadge label={statuses[status]} /> <Undelivered messages={messages} />
      </>
    ),
  },
  {
    title: 'Third party',
    cell: ({ thirdParty: { id, name } }) => (
      <a href={`/console/consents?third-party=${encodeURIComponent(id)}`}>
        <bdi>{name ?? 'Removed'}</bdi>
      </a>
    ),
  },
  { title: 'Customer', cell: ({ customerId }) => <Identifier value={customerId} /> },
  { title: 'Accounts', isNumber: true, cell: ({ accountIds }) => accountIds.length },
  { title: 'Until', cell: ({ until }) => <Time value={until} /> },
  { title: 'Last change', cell: ({ updated }) => <Time value={updated} /> },
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
  const apply = (event: SubmitEvent) => {
    const read = readForm(event)
    const entries = filters.map((name) => [name, read(name)])
    setQuery({ ...Object.fromEntries(entries), cursor: undefined })
  }
  const text = (name: (typeof filters)[number], label: string) => (
    <ParameterField label={label} name={name} value={query.get(name) ?? ''} />
  )
  return (
    <form onSubmit={apply} aria-label="Filter consents">
      <div class="fields">
        <SelectField
          label="Status"
          name="status"
          value={query.get('status') ?? ''}
          options={listStates(statuses)}
          onSelect={(status) => setQuery({ status, cursor: undefined })}
        />
        {text('third-party', 'Third party ID')}
        {text('customer', 'Customer ID')}
      </div>
      <p class="buttons filter-buttons">
        <button type="submit" class="secondary">
          Apply filters
        </button>
        {filters.some((name) => query.has(name)) && (
          <SecondaryLink href="/console/consents">Remove filters</SecondaryLink>
        )}
      </p>
    </form>
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
