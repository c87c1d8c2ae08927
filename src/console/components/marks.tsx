import type { MarkKind, UsageMark } from '../../contract/index.ts'
import { StateBadge, type StateLabel } from './badge.tsx'
import { Empty } from './states.tsx'
import { Table } from './table.tsx'
import { Moment, nameZone } from './time.tsx'

const labels: Readonly<Record<MarkKind, StateLabel>> = {
  start: ['neutral', 'Start'],
  load: ['neutral', 'Load'],
  keyAdded: ['neutral', 'Key'],
  keyRetired: ['neutral', 'Key'],
  outage: ['bad', 'Outage'],
  plannedOutage: ['warn', 'Planned'],
}

/** What happened in a range, the latest first. */
export function Marks({ marks }: { readonly marks: readonly UsageMark[] }) {
  return (
    <>
      {marks.length === 0 ? (
        <Empty title="No server was started, nothing was loaded, and no key was changed" />
      ) : (
        <Table
          caption="What happened"
          isStacked
          rows={marks.toReversed()}
          rowKey={({ kind, time, text }) => `${kind} ${time} ${text}`}
          columns={[
            {
              title: `Time (${nameZone()})`,
              isHeading: true,
              cell: ({ time }) => <Moment value={time} />,
            },
            {
              title: 'Kind',
              phone: 'first',
              cell: ({ kind }) => <StateBadge label={labels[kind]} />,
            },
            { title: 'What', cell: ({ text }) => text },
          ]}
        />
      )}
      <p class="muted">
        Starts and loads are those that the database of the platform has. A provider with a database
        of its own has its own.
      </p>
    </>
  )
}
