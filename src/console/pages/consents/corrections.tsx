import type { InputHTMLAttributes } from 'preact'
import { useState } from 'preact/hooks'
import type { CorrectionNotice } from '../../../contract/index.ts'
import { listCorrectionNotices } from '../../../contract/operations/consents.ts'
import { formatNoticeCsv, noticeCsvHeader } from '../../../disclosures/notice-csv.ts'
import { read } from '../../api.ts'
import { SecondaryButton } from '../../components/button.tsx'
import { ChipInput } from '../../components/field.tsx'
import { Identifier } from '../../components/identifier.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { SaveDialog } from '../../components/save-dialog.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { type Column, CursorPager, Table } from '../../components/table.tsx'
import { Moment, nameZone } from '../../components/time.tsx'
import { formatCount } from '../../labels.ts'
import { useResource } from '../../resource.ts'
import { setQuery, type ViewProps } from '../../router.ts'

/** The filters of the view, which are parameters of its address and of the operation. */
const filters = ['since', 'until', 'third-party', 'customer'] as const

/** How many notices are read at once for a file. */
const filePageSize = 500

export function View({ query }: ViewProps) {
  const [isSaving, setSaving] = useState(false)
  const selected = Object.fromEntries(filters.map((name) => [name, query.get(name) ?? undefined]))
  const cursor = query.get('cursor') ?? undefined
  const list = useResource(
    query.toString(),
    (signal) => read(listCorrectionNotices, { query: { ...selected, cursor }, signal }),
    { keepValue: true },
  )
  const isFiltered = filters.some((name) => selected[name] !== undefined)
  return (
    <>
      <PageHeading
        title="Corrections"
        crumbs={[['Consents', '/console/consents']]}
        about="Which third parties can have received data that was corrected since, for the notices to customers"
      >
        <SecondaryButton onClick={() => setSaving(true)}>Save CSV …</SecondaryButton>
      </PageHeading>
      <Filters query={query} />
      <div aria-busy={list.isLoading}>
        <Loaded resource={list}>
          {({ data, next }) => (
            <>
              {data.length === 0 && next === undefined ? (
                <NoNotices isFiltered={isFiltered} />
              ) : (
                <Table
                  caption="Notices of corrections"
                  columns={columns}
                  rows={data}
                  rowKey={(notice) => String(data.indexOf(notice))}
                  isStacked
                >
                  <CursorPager cursor={cursor} next={next} noun="notices" />
                </Table>
              )}
            </>
          )}
        </Loaded>
      </div>
      <p class="muted">
        A notice is due five business days after the correction. Days are those of {nameZone()}.
        Public holidays are not known: with one in between, it is due later.
      </p>
      {isSaving && <SaveNotices selected={selected} onClose={() => setSaving(false)} />}
    </>
  )
}

const columns: readonly Column<CorrectionNotice>[] = [
  {
    title: 'Customer',
    isHeading: true,
    cell: ({ customerId }) => <Identifier value={customerId} />,
  },
  {
    title: 'Notice due',
    cell: ({ noticeDue }) => <time dateTime={noticeDue}>{formatDate(noticeDue)}</time>,
  },
  { title: 'Data', cell: (notice) => <Data notice={notice} /> },
  { title: 'Corrected', cell: ({ corrected }) => <Moment value={corrected} /> },
  {
    title: 'Third party',
    cell: ({ thirdParty: { name }, consentId }) => (
      <a href={`/console/consents/${encodeURIComponent(consentId)}`}>
        <bdi>{name ?? 'Removed'}</bdi>
      </a>
    ),
  },
  {
    title: 'Disclosed',
    cell: ({ disclosures, firstDisclosed, lastDisclosed }) => (
      <>
        {formatCount(disclosures, 'time')}: <Moment value={firstDisclosed} />
        {disclosures > 1 && (
          <>
            {' '}
            to <Moment value={lastDisclosed} />
          </>
        )}
      </>
    ),
  },
]

/** A date has no time zone. */
function formatDate(date: string): string {
  return new Date(date).toLocaleDateString('en-AU', { dateStyle: 'medium', timeZone: 'UTC' })
}

function Data({ notice }: { readonly notice: CorrectionNotice }) {
  const { data, recordId, accountId, isDeleted } = notice
  return (
    <>
      {data}
      {recordId !== undefined && (
        <>
          {' '}
          <code>{recordId}</code>
        </>
      )}
      {accountId !== undefined && (
        <>
          {' '}
          of account <code>{accountId}</code>
        </>
      )}
      {isDeleted && ', removed'}
    </>
  )
}

function Filters({ query }: Pick<ViewProps, 'query'>) {
  const chip = (
    name: (typeof filters)[number],
    label: string,
    attributes?: InputHTMLAttributes,
  ) => (
    <ChipInput
      {...attributes}
      label={label}
      value={query.get(name) ?? ''}
      onCommit={(value) => setQuery({ [name]: value, cursor: undefined })}
    />
  )
  return (
    <search class="toolbar" aria-label="Filter notices">
      {chip('since', 'Corrected since', { type: 'date' })}
      {chip('until', 'Before', { type: 'date' })}
      {chip('third-party', 'Third party ID')}
      {chip('customer', 'Customer ID')}
      {filters.some((name) => query.has(name)) && (
        <a href="/console/consents/corrections">Remove filters</a>
      )}
    </search>
  )
}

function SaveNotices({
  selected,
  onClose,
}: {
  readonly selected: Readonly<Record<string, string | undefined>>
  readonly onClose: () => void
}) {
  return (
    <SaveDialog
      title="Save notices"
      noun="notice"
      readPage={(cursor, signal) =>
        read(listCorrectionNotices, {
          query: { ...selected, cursor, 'page-size': filePageSize },
          signal,
        })
      }
      makeFiles={(notices) => ({
        'notices.csv': new Blob([noticeCsvHeader(), ...notices.map(formatNoticeCsv)], {
          type: 'text/csv',
        }),
      })}
      onClose={onClose}
    >
      <p>
        The notices that match the filters, as <code>holdfast records corrections</code> lists them.
      </p>
    </SaveDialog>
  )
}

function NoNotices({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="No notice matches the filters">
        <p>Remove a filter, or check the IDs.</p>
      </Empty>
    )
  }
  return (
    <Empty title="No third party can have received data that was corrected">
      <p>
        A notice appears here after a line of a load or a feed with <code>"correction": true</code>{' '}
        changed data that was disclosed. If the provider has a database of its own, run{' '}
        <code>holdfast data corrections</code> there, and{' '}
        <code>holdfast records corrections --corrections FILE</code> with its output.
      </p>
    </Empty>
  )
}
