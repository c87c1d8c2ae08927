import type { ConsentDetail } from '../../../contract/index.ts'
import { clusterWords, describeWords } from '../../../platform/consent/scope-words.ts'
import { ActorName } from '../../components/actor-name.tsx'
import { StateBadge } from '../../components/badge.tsx'
import { Identifier } from '../../components/identifier.tsx'
import { Time } from '../../components/time.tsx'
import { accountUrl, hasExplorer } from '../explorer/urls.ts'
import { accountReasonTexts, accountStateLabels, endings, statuses } from './labels.ts'

interface Props {
  readonly consent: ConsentDetail
}

/** Each account with its state and the reason. */
export function Accounts({ consent: { accounts, customerId } }: Props) {
  return (
    <>
      <h2>Accounts</h2>
      {accounts.length === 0 ? (
        <p>None: the consent is about data of the customer only.</p>
      ) : (
        <ul class="states">
          {accounts.map(({ accountId, state, reason, since }) => (
            <li key={accountId}>
              <Identifier value={accountId} /> <StateBadge label={accountStateLabels[state]} />{' '}
              <span class="muted">
                {accountReasonTexts[reason]} Since <Time value={since} />
              </span>{' '}
              {hasExplorer() && <a href={accountUrl(customerId, accountId)}>Explore</a>}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** When the third party received data, by the words that the customer read. */
export function Disclosures({ consent: { disclosures } }: Props) {
  return (
    <>
      <h2>Disclosed</h2>
      {disclosures.length === 0 ? (
        <p>The third party has not received data under this consent.</p>
      ) : (
        <ul class="states">
          {disclosures.map(({ scope, first, last }) => (
            <li key={scope}>
              {nameScope(scope)}{' '}
              <span class="muted">
                first <Time value={first} />, last <Time value={last} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </>
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
    <>
      <h2>History</h2>
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
    </>
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
