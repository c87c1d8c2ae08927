import type { ReportedBrand, ReportedError, ReportedRefusal } from '../../../contract/index.ts'
import { capitalize } from '../../../contract/labels.ts'
import { complaintFields, listRequests } from '../../../platform/reports/format-report.ts'
import { Card } from '../../components/card.tsx'
import { Empty } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { formatCount } from '../../labels.ts'

/** The numbers of one brand, as in the document. */
export function Brand({ brand }: { readonly brand: ReportedBrand }) {
  const { name, id, refusals, errors } = brand
  return (
    <>
      <h2>
        <bdi>{name}</bdi> {id !== undefined && <code>{id}</code>}
      </h2>
      <Card title="Requests">
        <Table
          caption="Requests"
          isStacked
          rows={listRequests(brand)}
          rowKey={([title]) => title}
          columns={[
            { title: 'Item', isHeading: true, cell: ([title]) => capitalize(title) },
            {
              title: 'Number',
              isNumber: true,
              cell: ([, count]) => (count === undefined ? '–' : formatCount(count)),
            },
            { title: 'Definition', cell: ([, , note]) => note },
          ]}
        />
      </Card>
      <CountCard
        title="Refusals, by the rule or standard relied upon"
        caption="Refusals"
        rows={refusals}
        columns={refusalColumns}
      />
      <CountCard
        title="Errors that are no refusals"
        caption="Errors that are no refusals"
        rows={errors}
        columns={errorColumns}
      />
      <Card title="Complaints" note="To be filled in by the data holder in the saved document">
        <ul>
          {complaintFields.map((field) => (
            <li key={field}>{field}</li>
          ))}
        </ul>
      </Card>
    </>
  )
}

const refusalColumns: readonly Column<ReportedRefusal>[] = [
  { title: 'Rule', isHeading: true, cell: ({ rule }) => `Rule ${rule}` },
  { title: 'Standard', cell: ({ standard }) => standard ?? '–' },
  { title: 'Data', cell: ({ data }) => data },
  {
    title: 'Circumstance',
    cell: ({ circumstance, code, limit }) =>
      [circumstance, code, limit && `limit ${limit}`].filter(Boolean).join(', '),
  },
]

const errorColumns: readonly Column<ReportedError>[] = [
  { title: 'Error', isHeading: true, cell: ({ error, code }) => code ?? error },
  { title: 'Status', isNumber: true, cell: ({ status }) => status },
]

/** How many requests had each cause. */
function CountCard<Row extends { readonly count: number }>({
  title,
  caption,
  rows,
  columns,
}: {
  readonly title: string
  readonly caption: string
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
}) {
  return (
    <Card title={title}>
      {rows.length === 0 ? (
        <Empty title="None" />
      ) : (
        <Table
          caption={caption}
          isStacked
          rows={rows}
          rowKey={(row) => JSON.stringify(row)}
          columns={[
            ...columns,
            { title: 'Number', isNumber: true, cell: ({ count }) => formatCount(count) },
          ]}
        />
      )}
    </Card>
  )
}
