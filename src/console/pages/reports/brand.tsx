import type { ReportedBrand } from '../../../contract/index.ts'
import { capitalize } from '../../../contract/labels.ts'
import { complaintFields, listRequests } from '../../../platform/reports/format-report.ts'
import { Card } from '../../components/card.tsx'
import { Empty } from '../../components/states.tsx'
import { Table } from '../../components/table.tsx'
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
      <Card title="Refusals, by the rule or standard relied upon">
        {refusals.length === 0 ? (
          <Empty title="None" />
        ) : (
          <Table
            caption="Refusals"
            isStacked
            rows={refusals}
            rowKey={(row) => JSON.stringify(row)}
            columns={[
              { title: 'Rule', isHeading: true, cell: ({ rule }) => `Rule ${rule}` },
              { title: 'Standard', cell: ({ standard }) => standard ?? '–' },
              { title: 'Data', cell: ({ data }) => data },
              {
                title: 'Circumstance',
                cell: ({ circumstance, code, limit }) =>
                  [circumstance, code, limit && `limit ${limit}`].filter(Boolean).join(', '),
              },
              { title: 'Number', isNumber: true, cell: ({ count }) => formatCount(count) },
            ]}
          />
        )}
      </Card>
      <Card title="Errors that are no refusals">
        {errors.length === 0 ? (
          <Empty title="None" />
        ) : (
          <Table
            caption="Errors that are no refusals"
            isStacked
            rows={errors}
            rowKey={({ error, status }) => `${error} ${status}`}
            columns={[
              { title: 'Error', isHeading: true, cell: ({ error, code }) => code ?? error },
              { title: 'Status', isNumber: true, cell: ({ status }) => status },
              { title: 'Number', isNumber: true, cell: ({ count }) => formatCount(count) },
            ]}
          />
        )}
      </Card>
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
