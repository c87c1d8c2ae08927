import type { FeedState, PlatformStatus } from '../../../contract/index.ts'
import { StateBadge, type StateLabel } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { Empty } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Ago } from '../../components/time.tsx'
import { formatCount, formatSpan } from '../../labels.ts'

const columns: readonly Column<FeedState>[] = [
  { title: 'Feed', isHeading: true, cell: ({ feed }) => feed },
  { title: 'State', phone: 'first', cell: (feed) => <StateBadge label={nameState(feed)} /> },
  {
    title: 'Usually every',
    isNumber: true,
    cell: ({ usualSeconds }) => (usualSeconds === undefined ? '–' : formatSpan(usualSeconds)),
  },
  {
    title: 'Last batch',
    isNumber: true,
    cell: ({ batch, time }) => (
      <>
        {formatCount(batch)} · <Ago time={time} />
      </>
    ),
  },
]

/** After a few batches, it is known how often a feed sends one. */
function nameState({ batch, isLate }: FeedState): StateLabel {
  if (batch === 0) return ['neutral', 'Not started']
  if (isLate === undefined) return ['neutral', 'New']
  return isLate ? ['bad', 'Late'] : ['good', 'On time']
}

/** The feeds, each with the time that usually passes between its batches, and the last load. */
export function Feeds({
  feeds,
  lastLoad,
}: Pick<PlatformStatus, 'feeds'> & { readonly lastLoad: PlatformStatus['lastLoad'] }) {
  return (
    <Card title="Feeds and loads">
      {feeds.length === 0 ? (
        <Empty title="No feeds">
          <p>
            A feed sends changes to the intake in numbered batches. It appears here with its first
            batch.
          </p>
        </Empty>
      ) : (
        <Table caption="Feeds" rows={feeds} rowKey={({ feed }) => feed} columns={columns} />
      )}
      <LastLoad load={lastLoad} />
    </Card>
  )
}

function LastLoad({ load }: { readonly load: PlatformStatus['lastLoad'] }) {
  if (!load) {
    return (
      <p class="muted">
        No load is recorded in this database. <code>holdfast load FILE</code> loads customers,
        accounts and products.
      </p>
    )
  }
  const { created, changed, unchanged, deleted, committed } = load
  const lines = Object.entries({ created, changed, unchanged, deleted })
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${formatCount(count)} ${outcome}`)
  return (
    <p class="muted">
      Last load <Ago time={committed} />: {lines.join(', ') || 'no lines'}.
    </p>
  )
}
