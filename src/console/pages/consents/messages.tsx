import { informsThirdParty } from '../../../contract/consent-statuses.ts'
import type { ConsentDetail, ConsentMessage } from '../../../contract/index.ts'
import { StateBadge } from '../../components/badge.tsx'
import { Time } from '../../components/time.tsx'
import { messageKindTexts, messageStateLabels } from './labels.ts'

/** What the platform sent about a consent, and what became of it. */
export function Messages({ consent }: { readonly consent: ConsentDetail }) {
  const { messages, changes } = consent
  const end = changes.find(({ status }) => status !== 'active')
  const isUninformed =
    end && informsThirdParty[end.reason] && !messages.some(({ kind }) => kind === 'revocation')
  if (messages.length === 0 && !isUninformed) return null
  return (
    <>
      <h2>Messages</h2>
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
    </>
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
      Attempts: {attempts}.{lastFailure !== undefined && ` Last failure: ${lastFailure}.`}
    </>
  )
}
