import { useState } from 'preact/hooks'
import type { CorrectionNotice } from '../../../contract/index.ts'
import { listCorrectionNotices } from '../../../contract/operations/consents.ts'
import { formatNoticeCsv, noticeCsvHeader } from '../../../disclosures/notice-csv.ts'
import { read } from '../../api.ts'
import { SecondaryButton } from '../../components/button.tsx'
import { Identifier } from '../../components/identifier.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { SaveDialog } from '../../components/save-dialog.tsx'
import { Empty } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Moment, nameZone } from '../../components/time.tsx'
import { formatCount } from '../../labels.ts'
import type { ViewProps } from '../../router.ts'
import { consentUrl, ThirdPartyName } from './columns.tsx'
import { CursorList, FilterInput, NoMatch, useCursorList } from './cursor-list.tsx'

/** The filters of the view, which are parameters of its address and of the operation. */
const filters = ['since', 'until', 'third-party', 'customer'] as const

/** How many notices are read at once for a file. */
const filePageSize = 500

export function View({ query }: ViewProps) {
  const [isSaving, setSaving] = useState(false)
  const { list, selected, isFiltered } = useCursorList(query, filters, (selection, signal) =>
    read(listCorrectionNotices, { query: selection, signal }),
  )
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
      <CursorList
        {...{ list, query }}
        noun="notices"
        empty={isFiltered ? <NoMatch noun="notice" /> : <NoNotices />}
      >
        {(rows, pager) => (
          <Table
            caption="Notices of corrections"
            columns={columns}
            rows={rows}
            rowKey={(notice) => String(rows.indexOf(notice))}
            isStacked
          >
            {pager}
          </Table>
        )}
      </CursorList>
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
    cell: ({ thirdParty, consentId }) => (
      <a href={consentUrl(consentId)}>
        <ThirdPartyName thirdParty={thirdParty} />
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
  return (
    <search class="toolbar" aria-label="Filter notices">
      <FilterInput query={query} name="since" label="Corrected since" isDate />
      <FilterInput query={query} name="until" label="Before" isDate />
      <FilterInput query={query} name="third-party" label="Third party ID" />
      <FilterInput query={query} name="customer" label="Customer ID" />
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

function NoNotices() {
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
