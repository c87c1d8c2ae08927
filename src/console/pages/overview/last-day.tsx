import type { UsageHistory } from '../../../contract/index.ts'
import { getUsage } from '../../../contract/operations/monitoring.ts'
import { read } from '../../api.ts'
import { Card } from '../../components/card.tsx'
import { Facts } from '../../components/facts.tsx'
import { Marks } from '../../components/marks.tsx'
import { Loaded } from '../../components/states.tsx'
import { formatCount, formatSeconds } from '../../labels.ts'
import { useResource } from '../../resource.ts'

const refreshMs = () => 60_000

/** How many marks are shown. Monitoring has all of them. */
const marksMax = 5

/** What third parties did, and what happened, also while the console was closed. */
export function LastDay() {
  const usage = useResource(
    'last day',
    (signal) => read(getUsage, { query: { range: '24h' }, signal }),
    { refreshMs, keepValue: true },
  )
  return (
    <Card
      title="Third parties, last 24 hours"
      actions={<a href="/console/monitoring?range=24h">Monitoring</a>}
    >
      <Loaded resource={usage}>
        {({ total, marks }) => (
          <>
            <Figures total={total} />
            <Marks marks={marks.slice(-marksMax)} />
          </>
        )}
      </Loaded>
    </Card>
  )
}

function Figures({ total }: Pick<UsageHistory, 'total'>) {
  const { calls, errors, rejections, latency, peak = 0 } = total
  return (
    <Facts
      facts={{
        Calls: formatCount(calls),
        Errors: formatCount(errors),
        'Over a limit': formatCount(rejections),
        'Response time, p95': latency && formatSeconds(latency.p95),
        'Most calls in a second': formatCount(peak),
      }}
    />
  )
}
