import type { Rejection, RejectionCount, RejectionList } from '../../../contract/index.ts'
import { toLabel } from '../../../contract/labels.ts'
import { Identifier } from '../../components/identifier.tsx'
import { Empty } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { formatCount } from '../../labels.ts'
import { ToolBadge } from './tool.tsx'

const nameCircumstance = ({ circumstance }: RejectionCount | Rejection) =>
  circumstance === undefined ? '–' : toLabel(circumstance)

const countColumns: readonly Column<RejectionCount>[] = [
  {
    title: 'Circumstance',
    cell: (refusal) => (
      <>
        {nameCircumstance(refusal)} <ToolBadge tool={refusal.tool} />
      </>
    ),
    isHeading: true,
  },
  { title: 'Requests', cell: ({ count }) => formatCount(count), isNumber: true },
  { title: 'Status', cell: ({ status }) => <Status status={status} /> },
]

const latestColumns: readonly Column<Rejection>[] = [
  { title: 'Time', cell: ({ time }) => <Time value={time} /> },
  {
    title: 'Circumstance',
    cell: (refusal) => (
      <a href={`/console/monitoring/rejections/${encodeURIComponent(refusal.interactionId)}`}>
        {nameCircumstance(refusal)}
      </a>
    ),
    isHeading: true,
  },
  { title: 'Operation', cell: ({ operation }) => operation },
  { title: 'Status', cell: ({ status }) => <Status status={status} /> },
  { title: 'Interaction ID', cell: ({ interactionId }) => <Identifier value={interactionId} /> },
]

/** The requests for which the provider refused to share, by circumstance and one by one. */
export function RefusalTables({ list }: { readonly list: RejectionList }) {
  if (list.reasons.length === 0) {
    return (
      <Empty title="The provider has not refused to share">
        <p>
          Requests that it refuses because of a restriction, or of a rate limit, appear here with
          their circumstance.
        </p>
      </Empty>
    )
  }
  return (
    <>
      <p class="muted">Neither customers nor accounts are recorded.</p>
      <Table
        caption="Refusals by circumstance"
        columns={countColumns}
        rows={list.reasons}
        rowKey={({ status, circumstance, reason, tool }) =>
          `${status} ${circumstance} ${reason} ${tool}`
        }
      />
      <h3>Latest</h3>
      <Table
        caption="Latest refusals"
        columns={latestColumns}
        rows={list.data}
        rowKey={({ time, interactionId }) => `${time} ${interactionId}`}
        isStacked
      />
    </>
  )
}
