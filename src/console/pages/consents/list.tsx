import type { TargetedEvent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Consent } from '../../../contract/index.ts'
import { listConsents } from '../../../contract/operations/consents.ts'
import { read } from '../../api.ts'
import { Badge } from '../../components/badge.tsx'
import { CursorPager } from '../../components/cursor-pager.tsx'
import { Empty } from '../../components/empty.tsx'
import { Field } from '../../components/field.tsx'
import { Identifier } from '../../components/identifier.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { useResource } from '../../resource.ts'
import { setQuery } from '../../router.ts'
import type { ViewProps } from '../../view-props.ts'
import { statuses } from './labels.ts'

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
        <a class="button secondary" href="/console/consents/flows">
          Consent flows
        </a>
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
    cell: ({ status }) => <Badge kind={statuses[status][0]}>{statuses[status][1]}</Badge>,
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

type Values = Readonly<Record<(typeof filters)[number], string>>

function readValues(query: URLSearchParams): Values {
  return Object.fromEntries(filters.map((name) => [name, query.get(name) ?? ''])) as Values
}

function Filters({ query }: Pick<ViewProps, 'query'>) {
  const [values, setValues] = useState(() => readValues(query))
  // Links and the back button change the filters too.
  useEffect(() => setValues(readValues(query)), [query.toString()])
  const set = (name: keyof Values) => (event: TargetedEvent<HTMLInputElement>) =>
    setValues({ ...values, [name]: event.currentTarget.value })
  const apply = (event: SubmitEvent) => {
    event.preventDefault()
    const entries = filters.map((name) => [name, values[name].trim()])
    setQuery({ ...Object.fromEntries(entries), cursor: undefined })
  }
  return (
    <form onSubmit={apply} aria-label="Filter consents">
      <div class="fields">
        <Field label="Status">
          {(control) => (
            <select
              {...control}
              value={values.status}
              onChange={({ currentTarget: { value } }) =>
                setQuery({ status: value, cursor: undefined })
              }
            >
              <option value="">All</option>
              {Object.entries(statuses).map(([status, [, label]]) => (
                <option key={status} value={status}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Third party ID">
          {(control) => (
            <input {...control} value={values['third-party']} onInput={set('third-party')} />
          )}
        </Field>
        <Field label="Customer ID">
          {(control) => <input {...control} value={values.customer} onInput={set('customer')} />}
        </Field>
      </div>
      <p class="buttons filter-buttons">
        <button type="submit" class="secondary">
          Apply filters
        </button>
        {filters.some((name) => query.has(name)) && (
          <a class="button secondary" href="/console/consents">
            Remove filters
          </a>
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
