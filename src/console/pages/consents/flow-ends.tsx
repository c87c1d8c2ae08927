import type { UsageHistory } from '../../../contract/index.ts'
import { getUsage } from '../../../contract/operations/monitoring.ts'
import { usageDefinitions } from '../../../contract/usage-definitions.ts'
import { read } from '../../api.ts'
import { Card } from '../../components/card.tsx'
import { Definition } from '../../components/definition.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { Table } from '../../components/table.tsx'
import { Time } from '../../components/time.tsx'
import { RangeSelect, readRange } from '../../components/usage-range.tsx'
import { formatCount } from '../../labels.ts'
import { useResource } from '../../resource.ts'

type End = UsageHistory['consentFlows']['ends'][number]['end']

const names: Readonly<Record<End, string>> = {
  exchanged: 'Led to a consent',
  rejected: 'Cancelled',
  preIdentification: 'Abandoned before identification',
  preAuthentication: 'Abandoned before the passcode',
  preAccountSelection: 'Abandoned before the accounts',
  preAuthorisation: 'Abandoned before the confirmation',
  failedTokenExchange: 'Code not exchanged',
}

/** How consent flows ended, of all customers. */
export function FlowEnds({ query }: { readonly query: URLSearchParams }) {
  const range = readRange(query)
  const usage = useResource(
    `flow ends ${range}`,
    (signal) => read(getUsage, { query: { range }, signal }),
    { keepValue: true },
  )
  return (
    <Card
      title="How flows ended"
      note={<Definition of="consentFlows" name="consent flows" />}
      actions={<RangeSelect range={range} />}
    >
      <Loaded resource={usage}>{({ consentFlows }) => <Ends {...consentFlows} />}</Loaded>
    </Card>
  )
}

function Ends({ since, ends }: UsageHistory['consentFlows']) {
  const total = ends.reduce((sum, { flows }) => sum + flows, 0)
  if (total === 0) return <Empty title="No consent flow ended in this range" />
  return (
    <>
      <Table
        caption="How flows ended"
        isStacked
        rows={ends.toSorted((a, b) => b.flows - a.flows)}
        rowKey={({ end }) => end}
        columns={[
          { title: 'End', isHeading: true, cell: ({ end }) => names[end] },
          { title: 'Flows', isNumber: true, cell: ({ flows }) => formatCount(flows) },
          {
            title: 'Share',
            isNumber: true,
            cell: ({ flows }) => `${Math.round((100 * flows) / total)} %`,
          },
          { title: 'Definition', cell: ({ end }) => usageDefinitions[end] },
        ]}
      />
      <p class="muted">
        {formatCount(total, 'flow')} that began after <Time value={since} />.
      </p>
    </>
  )
}
