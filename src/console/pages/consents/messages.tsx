import { informsThirdParty } from '../../../contract/consent-statuses.ts'
import type { ConsentDetail, ConsentMessage } from '../../../contract/index.ts'
import { StateBadge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { Time } from '../../components/time.tsx'
import { describeStatus } from '../../statuses.ts'
import { messageKindTexts, messageStateLabels } from './labels.ts'

/** What the platform sent about a consent, and what became of it. */
export function Messages({ consent }: { readonly consent: ConsentDetail }) {
  const { messages, changes } = consent
  const end = changes.find(({ status }) => status !== 'active')
  const isUninformed =
    end && informsThirdParty[end.reason] && !messages.some(({ kind }) => kind === 'revocation')
  if (messages.length === 0 && !isUninformed) return null
  return (
    <Card title="Messages">
      {isUninformed && (
        <p>
          The third party was not informed that the consent ended: it was registered without{' '}
          <code>--recipient-base-uri</code>.
        </p>
      )}
      <ul class="states">
        {messages.map((message) => (
          <li key={message.kind + message.created}>
            <StateBadge label={messageStateLabels[message.state]} />{' '}
            {messageKindTexts[message.kind]}{' '}
            <span class="muted">
              <Progress message={message} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Progress({ message }: { readonly message: ConsentMessage }) {
  const { state, attempts, nextAttempt, settled, lastFailure } = message
  return (
    <>
      {nextAttempt !== undefined && (
        <>
          Next attempt <Time value={nextAttempt} />.{' '}
        </>
      )}
      {settled !== undefined && (
        <>
          {messageStateLabels[state][1]} <Time value={settled} />.{' '}
        </>
      )}
      Attempts: {attempts}.
      {lastFailure !== undefined && (
        <>
          {' '}
          Last failure: {describeFailure(lastFailure)} <code>{lastFailure}</code>
        </>
      )}
    </>
  )
}

/** The errors of connections, by their codes. */
const failures: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET', 'the connection was closed'],
  ['ENOTFOUND', 'the host name is not known'],
  ['EAI_AGAIN', 'the host name cannot be looked up now'],
  ['ETIMEDOUT', 'there was no connection in time'],
  ['CERT_HAS_EXPIRED', 'the certificate has expired'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'the certificate is not trusted'],
])

/** In words, for the failure that the log has. */
function describeFailure(failure: string): string {
  const [, status] = /^status (\d{3})$/.exec(failure) ?? []
  if (status !== undefined) return `the answer was “${describeStatus(Number(status))}”`
  return failures.get(failure) ?? 'the message could not be sent'
}
