import { useId } from 'preact/hooks'
import type { Consent } from '../../../contract/index.ts'
import { listConsents } from '../../../contract/operations/consents.ts'
import { read } from '../../api.ts'
import { listStates, StateBadge } from '../../components/badge.tsx'
import { SecondaryLink } from '../../components/button.tsx'
import { ChipInput, ChipSelect } from '../../components/field.tsx'
import { Filters } from '../../components/filters.tsx'
import { Identifier } from '../../components/identifier.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Empty } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { formatDay, formatTime } from '../../components/time.tsx'
import { setQuery, type ViewProps } from '../../router.ts'
import {
  accountsColumn,
  changeColumn,
  consentUrl,
  statusColumn,
  ThirdPartyName,
} from './columns.tsx'
import { CursorList, FilterInput, NoMatch, useCursorList } from './cursor-list.tsx'
import { messageStateLabels, statuses } from './labels.ts'
import { useThirdParties } from './third-parties.ts'

/** The filters of the view, which are parameters of its address and of the operation. */
const filters = ['status', 'third-party', 'customer'] as const

export function View({ query }: ViewProps) {
  const { list, isFiltered } = useCursorList(query, filters, (selection, signal) =>
    read(listConsents, { query: { ...selection, order: 'newest' }, signal }),
  )
  return (
    <>
      <PageHeading
        title="Consents"
        about="What customers agreed to share with third parties, the last change first"
      >
        <SecondaryLink href="/console/consents/flows">Consent flows</SecondaryLink>
        <SecondaryLink href="/console/consents/corrections">Corrections</SecondaryLink>
      </PageHeading>
      <ConsentFilters query={query} consents={list.value?.data ?? []} />
      <CursorList
        {...{ list, query }}
        noun="consents"
        empty={isFiltered ? <NoMatch noun="consent" /> : <NoConsents />}
      >
        {(rows, pager) => (
          <Table
            caption="Consents"
            columns={columns}
            rows={rows}
            rowKey={({ consentId }) => consentId}
          >
            {pager}
          </Table>
        )}
      </CursorList>
    </>
  )
}

const columns: readonly Column<Consent>[] = [
  {
    title: 'Third party',
    isHeading: true,
    isLong: true,
    cell: ({ consentId, thirdParty }) => (
      <a href={consentUrl(consentId)}>
        <ThirdPartyName thirdParty={thirdParty} />
      </a>
    ),
  },
  {
    ...statusColumn,
    cell: ({ status, messages }) => (
      <span class="badges">
        <StateBadge label={statuses[status]} />
        <Undelivered messages={messages} />
      </span>
    ),
  },
  { title: 'Customer', cell: ({ customerId }) => <Identifier value={customerId} /> },
  { ...accountsColumn, isExtra: true },
  {
    title: 'Until',
    phone: 'hidden',
    cell: ({ until }) => (
      <time dateTime={until} title={formatTime(until)}>
        {formatDay(until)}
      </time>
    ),
  },
  changeColumn,
  {
    title: 'Consent',
    phone: 'hidden',
    isExtra: true,
    cell: ({ consentId }) => <code title={consentId}>{consentId.slice(0, 8)}</code>,
  },
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

function ConsentFilters({
  query,
  consents,
}: Pick<ViewProps, 'query'> & { readonly consents: readonly Consent[] }) {
  return (
    <search class="toolbar" aria-label="Filter consents">
      <Filters count={filters.filter((name) => query.has(name)).length}>
        <ChipSelect
          label="Status"
          value={query.get('status') ?? ''}
          options={listStates(statuses)}
          onSelect={(status) => setQuery({ status, cursor: undefined })}
        />
        <ThirdPartyInput id={query.get('third-party') ?? ''} consents={consents} />
        <FilterInput query={query} name="customer" label="Customer ID" />
        {filters.some((name) => query.has(name)) && <a href="/console/consents">Remove filters</a>}
      </Filters>
    </search>
  )
}

function NoConsents() {
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

/** A third party is chosen by its name, and any by its ID. */
function ThirdPartyInput({
  id,
  consents,
}: {
  readonly id: string
  readonly consents: readonly Consent[]
}) {
  const listId = useId()
  const thirdParties = useThirdParties(consents)
  return (
    <>
      <ChipInput
        label="Third party"
        list={listId}
        value={thirdParties.find((each) => each.id === id)?.label ?? id}
        onCommit={(text) =>
          setQuery({
            'third-party': thirdParties.find(({ label }) => label === text)?.id ?? text,
            cursor: undefined,
          })
        }
      />
      <datalist id={listId}>
        {thirdParties.map((each) => (
          <option key={each.id} value={each.label} />
        ))}
      </datalist>
    </>
  )
}
