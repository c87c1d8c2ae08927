import type { Rejection, RejectionCount, RejectionList } from '../../../contract/index.ts'
import { capitalize } from '../../../contract/labels.ts'
import { LinkButton } from '../../components/button.tsx'
import { Identifier } from '../../components/identifier.tsx'
import { Empty } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Ago } from '../../components/time.tsx'
import { formatCount } from '../../labels.ts'
import { setQuery } from '../../router.ts'
import { nameReason, ReasonCode } from './reason.tsx'
import { ToolBadge } from './tool.tsx'

const clause = {
  title: 'Clause',
  cell: ({ clause: text, setting }: RejectionCount | Rejection) => (
    <span class="clause">
      {text ?? '–'}
      {setting !== undefined && (
        <>
          {' '}
          Look at <code>{setting}</code>.
        </>
      )}
    </span>
  ),
}

const countColumns: readonly Column<RejectionCount>[] = [
  {
    title: 'Reason',
    cell: ({ reason, tool }) => (
      <>
        <LinkButton onClick={() => setQuery({ reason })}>{nameReason(reason)}</LinkButton>{' '}
        <ReasonCode reason={reason} /> <ToolBadge tool={tool} />
      </>
    ),
    isHeading: true,
  },
  { title: 'Requests', cell: ({ count }) => formatCount(count), isNumber: true },
  { title: 'Server', cell: ({ role }) => capitalize(role) },
  { title: 'Status', cell: ({ status }) => <Status status={status} /> },
  clause,
]

const latestColumns: readonly Column<Rejection>[] = [
  { title: 'Time', cell: ({ time }) => <Ago time={time} /> },
  {
    title: 'Reason',
    cell: ({ reason, interactionId, tool }) => (
      <>
        <a href={`/console/monitoring/rejections/${encodeURIComponent(interactionId)}`}>
          {nameReason(reason)}
        </a>{' '}
        <ReasonCode reason={reason} /> <ToolBadge tool={tool} />
      </>
    ),
    isHeading: true,
    isLong: true,
  },
  { title: 'Server', isExtra: true, cell: ({ role }) => capitalize(role) },
  { title: 'Operation', cell: ({ operation }) => operation },
  { title: 'Status', cell: ({ status }) => <Status status={status} /> },
  { title: 'Interaction ID', cell: ({ interactionId }) => <Identifier value={interactionId} /> },
]

/** The rejected requests of the last hour, by reason and one by one. */
export function RejectionTables({
  list,
  reason,
}: {
  readonly list: RejectionList
  /** Only requests that were rejected for this reason are listed. */
  readonly reason: string | undefined
}) {
  if (list.reasons.length === 0 && reason === undefined) {
    return (
      <Empty title="No request of the last hour was rejected">
        <p>Requests that are answered with an error appear here, with the reason.</p>
      </Empty>
    )
  }
  return (
    <>
      {reason !== undefined && (
        <p>
          Only “{nameReason(reason)}”.{' '}
          <LinkButton onClick={() => setQuery({ reason: undefined })}>Show all reasons</LinkButton>
        </p>
      )}
      <Table
        caption="Rejections by reason"
        isStacked
        columns={countColumns}
        rows={list.reasons}
        rowKey={({ role, status, reason: name, tool }) => `${role} ${status} ${name} ${tool}`}
      />
      <h3>Latest</h3>
      <Table
        caption="Latest rejections"
        columns={latestColumns}
        rows={list.data}
        rowKey={({ time, interactionId, role }) => `${time} ${interactionId} ${role}`}
      />
    </>
  )
}
