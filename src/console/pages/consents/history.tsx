import type { ConsentDetail } from '../../../contract/index.ts'
import { clusterWords, describeWords } from '../../../platform/consent/scope-words.ts'
import { ActorName } from '../../components/actor-name.tsx'
import { Badge, StateBadge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { Identifier } from '../../components/identifier.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Moment, nameZone, Time } from '../../components/time.tsx'
import { accountUrl, hasExplorer } from '../explorer/urls.ts'
import { accountReasonTexts, accountStateLabels, endings, statuses } from './labels.ts'

interface Props {
  readonly consent: ConsentDetail
}

/** Each account with its state and the reason. */
export function Accounts({ consent: { accounts, customerId, status } }: Props) {
  const isShared = status === 'active'
  return (
    <Card title="Accounts">
      {!isShared && accounts.length > 0 && (
        <p>None of them is shared any more: the consent has ended.</p>
      )}
      {accounts.length === 0 ? (
        <p>None: the consent is about data of the customer only.</p>
      ) : (
        <Table
          caption="Accounts"
          isStacked
          rows={accounts}
          rowKey={({ accountId }) => accountId}
          columns={[
            {
              title: 'Account',
              isHeading: true,
              cell: ({ accountId }) => <Identifier value={accountId} />,
            },
            {
              title: isShared ? 'State' : 'State at the end',
              cell: ({ state }) => {
                const [kind, word] = accountStateLabels[state]
                return <Badge kind={isShared ? kind : 'neutral'}>{word}</Badge>
              },
            },
            { title: 'Why', cell: ({ reason }) => accountReasonTexts[reason] },
            { title: `Since (${nameZone()})`, cell: ({ since }) => <Moment value={since} /> },
            ...(hasExplorer() ? [explorerColumn(customerId)] : []),
          ]}
        />
      )}
    </Card>
  )
}

const explorerColumn = (customerId: string): Column<ConsentDetail['accounts'][number]> => ({
  title: 'Explorer',
  cell: ({ accountId }) => <a href={accountUrl(customerId, accountId)}>Explore</a>,
})

/** When the third party received data, by the words that the customer read. */
export function Disclosures({ consent: { disclosures } }: Props) {
  return (
    <Card title="Disclosed">
      {disclosures.length === 0 ? (
        <p>The third party has not received data under this consent.</p>
      ) : (
        <Table
          caption="Disclosed"
          isStacked
          rows={disclosures}
          rowKey={({ scope }) => scope}
          columns={[
            { title: 'Data', isHeading: true, cell: ({ scope }) => nameScope(scope) },
            { title: `First (${nameZone()})`, cell: ({ first }) => <Moment value={first} /> },
            { title: `Last (${nameZone()})`, cell: ({ last }) => <Moment value={last} /> },
          ]}
        />
      )}
    </Card>
  )
}

/** Changes of the status, amendments and changes of accounts, in order of time. */
export function History({ consent }: Props) {
  const { changes, amendments, accountChanges } = consent
  const events = [
    ...changes.map((change) => ({
      time: change.time,
      label: statuses[change.status],
      text: change.status === 'active' ? 'The customer agreed.' : endings[change.reason],
      by: change.by,
    })),
    ...amendments.map((amendment) => ({
      time: amendment.time,
      label: ['neutral', 'Amended'] as const,
      text: describeAmendment(amendment),
      by: undefined,
    })),
    ...accountChanges.map(({ time, accountId, state, reason }) => ({
      time,
      label: accountStateLabels[state],
      text: `Account ${accountId}: ${accountReasonTexts[reason]}`,
      by: undefined,
    })),
  ].sort((a, b) => Date.parse(a.time) - Date.parse(b.time))
  return (
    <Card title="History">
      <ol class="timeline">
        {events.map(({ time, label, text, by }) => (
          <li key={time + text}>
            <p>
              <StateBadge label={label} /> <Time value={time} />
            </p>
            <p>
              {by ? (
                <>
                  <ActorName actor={by} /> withdrew the consent.
                </>
              ) : (
                text
              )}
            </p>
          </li>
        ))}
      </ol>
    </Card>
  )
}

function describeAmendment(amendment: ConsentDetail['amendments'][number]): string {
  const { addedScopes, removedScopes, addedAccountIds, removedAccountIds } = amendment
  const parts = [
    ['Data added', addedScopes.map(nameScope)],
    ['Data removed', removedScopes.map(nameScope)],
    ['Accounts added', addedAccountIds],
    ['Accounts removed', removedAccountIds],
    ['End', [`${formatDay(amendment.earlierUntil)} → ${formatDay(amendment.until)}`]],
  ] as const
  return parts
    .filter(([, values]) => values.length > 0)
    .map(([label, values]) => `${label}: ${values.join(', ')}.`)
    .join(' ')
}

const formatDay = (time: string) => time.slice(0, 'YYYY-MM-DD'.length)

function nameScope(scope: string): string {
  return describeWords(clusterWords, [scope])[0]?.name ?? scope
}
