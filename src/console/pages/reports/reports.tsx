import { useMemo } from 'preact/hooks'
import type { RegulatoryReport } from '../../../contract/index.ts'
import { getReport } from '../../../contract/operations/consents.ts'
import {
  describePeriod,
  describeProof,
  describeState,
  formatReportCsv,
  formatReportHtml,
} from '../../../platform/reports/format-report.ts'
import { read } from '../../api.ts'
import { Badge } from '../../components/badge.tsx'
import { ButtonLink, SecondaryButton } from '../../components/button.tsx'
import { ChipSelect } from '../../components/field.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Loaded, Notice } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useObjectUrl } from '../../object-url.ts'
import { useResource } from '../../resource.ts'
import { setQuery, type ViewProps } from '../../router.ts'
import { timeZone } from '../../session.ts'
import { Brand } from './brand.tsx'

/** While the records are counted. */
const pollMs = 1000

/** Records are kept for six years by default. The server names the first period of which it has them. */
const periodsMax = 13

export function View({ query }: ViewProps) {
  const periods = listPeriods()
  const period = query.get('period') ?? periods[1] ?? ''
  const state = useResource(
    `report ${period}`,
    (signal) => read(getReport, { params: { period }, signal }),
    { refreshMs: ({ report }) => (report ? undefined : pollMs) },
  )
  const report = state.value?.report
  return (
    <>
      <PageHeading
        title="Reports"
        state={report && <Finished report={report} />}
        about={report ? describePeriod(report) : 'What a data holder reports twice a year'}
      >
        {report && <Files report={report} />}
      </PageHeading>
      <div class="toolbar">
        <ChipSelect
          label="Period"
          value={period}
          options={periods.map((each) => [each, each] as const)}
          onSelect={(chosen) => setQuery({ period: chosen })}
        />
      </div>
      <Loaded resource={state}>
        {({ report: made, countedTo }) =>
          made ? (
            <Report report={made} />
          ) : (
            <Notice title="The records are being counted">
              <p>
                {countedTo === undefined ? (
                  'Waiting for the first records.'
                ) : (
                  <>
                    Counted up to <Time value={countedTo} />.
                  </>
                )}{' '}
                You can leave the page: the platform continues.
              </p>
            </Notice>
          )
        }
      </Loaded>
    </>
  )
}

function Finished({ report }: { readonly report: RegulatoryReport }) {
  return (
    <Badge kind={report.isFinished ? 'good' : 'warn'}>
      {report.isFinished ? 'Finished' : 'Unfinished'}
    </Badge>
  )
}

function Report({ report }: { readonly report: RegulatoryReport }) {
  const { brands, records } = report
  return (
    <div class="report">
      {!report.isFinished && <Notice title={`${describeState(report)}.`} />}
      {records.fault !== undefined && (
        <Notice kind="bad" title="The records are not as they were written">
          <p>{records.fault}</p>
        </Notice>
      )}
      {brands.map((brand) => (
        <Brand key={brand.id ?? brand.name} brand={brand} />
      ))}
      <h2>Records</h2>
      <p>{describeProof(report)}</p>
      <p>
        Digest of the last block of each chain: <code>{records.digest}</code>
      </p>
    </div>
  )
}

/** The report in the formats of `holdfast report`. */
function Files({ report }: { readonly report: RegulatoryReport }) {
  const files = useMemo(
    () => ({
      html: new Blob([formatReportHtml(report)], { type: 'text/html' }),
      csv: new Blob([formatReportCsv(report)], { type: 'text/csv' }),
      json: new Blob([`${JSON.stringify(report, null, 2)}\n`], { type: 'application/json' }),
    }),
    [report],
  )
  return (
    <>
      <SecondaryButton onClick={() => print()}>Print</SecondaryButton>
      {Object.entries(files).map(([format, file]) => (
        <Save key={format} file={file} name={`report-${report.period}.${format}`} format={format} />
      ))}
    </>
  )
}

function Save(props: { readonly file: Blob; readonly name: string; readonly format: string }) {
  const url = useObjectUrl(props.file)
  if (!url) return undefined
  return (
    <ButtonLink class="button secondary" href={url} download={props.name}>
      Save {props.format.toUpperCase()}
    </ButtonLink>
  )
}

/** The present half-year, and those before it, in the time zone of the platform. */
function listPeriods(): string[] {
  const [year = 0, month = 1] = new Date()
    .toLocaleDateString('en-CA', { timeZone: timeZone.value })
    .split('-')
    .map(Number)
  const present = year * 2 + (month > 6 ? 1 : 0)
  return Array.from({ length: periodsMax }, (_, back) => {
    const half = present - back
    return `${Math.floor(half / 2)}-H${(half % 2) + 1}`
  })
}
