import { useState } from 'preact/hooks'
import type { ConsentDetail } from '../../../contract/index.ts'
import { getConsent, withdrawConsent } from '../../../contract/operations/consents.ts'
import { clusterWords, describeWords } from '../../../platform/consent/scope-words.ts'
import { call, read } from '../../api.ts'
import { StateBadge } from '../../components/badge.tsx'
import { Button, SecondaryButton } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { Facts } from '../../components/facts.tsx'
import { Identifier } from '../../components/identifier.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Loaded, Notice } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useResource } from '../../resource.ts'
import type { ViewProps } from '../../router.ts'
import { hasScope } from '../../session.ts'
import { customerUrl, hasExplorer } from '../explorer/urls.ts'
import { consentUrl, ThirdPartyName } from './columns.tsx'
import { Accounts, Disclosures, History } from './history.tsx'
import { statuses } from './labels.ts'
import { Messages } from './messages.tsx'
import { RecordsCopy } from './records-copy.tsx'

export function View({ params: { id = '' } }: ViewProps) {
  const params = { consentId: id }
  const consent = useResource(id, (signal) => read(getConsent, { params, signal }))
  const [isAsking, setAsking] = useState(false)
  const [isCopying, setCopying] = useState(false)
  const [isWithdrawn, setWithdrawn] = useState(false)
  const { value } = consent
  const name = <bdi>{value?.thirdParty.name ?? 'The third party'}</bdi>
  const withdraw = async () => {
    await call(withdrawConsent, { params })
    setWithdrawn(true)
    consent.reload()
  }
  return (
    <>
      <PageHeading
        title={`Consent ${id.slice(0, 8)}`}
        crumbs={[['Consents', '/console/consents']]}
        state={value && <StateBadge label={statuses[value.status]} />}
        about={
          value && (
            <>
              What a customer {value.status === 'active' ? 'shares' : 'shared'} with {name}
            </>
          )
        }
      >
        {value && (
          <SecondaryButton onClick={() => setCopying(true)}>
            Copy for the customer …
          </SecondaryButton>
        )}
        {value?.status === 'active' && hasScope('consent.write') && (
          <Button class="dangerous" onClick={() => setAsking(true)}>
            Withdraw
          </Button>
        )}
      </PageHeading>
      {isWithdrawn && (
        <Notice kind="good" title="The consent was withdrawn">
          <p>{name} can no longer read data: its next request is rejected.</p>
        </Notice>
      )}
      <Loaded resource={consent}>{(loaded) => <Details consent={loaded} />}</Loaded>
      {value && isCopying && (
        <RecordsCopy customerId={value.customerId} onClose={() => setCopying(false)} />
      )}
      {isAsking && (
        <Confirm
          title="Withdraw this consent?"
          action="Withdraw consent"
          isDangerous
          onConfirm={withdraw}
          onClose={() => setAsking(false)}
        >
          <p>
            {name} can no longer read data of the customer. All its tokens for this consent end at
            once: its next request is rejected.
          </p>
          <p>
            This cannot be undone. To share again, the customer has to give a new consent. The
            customer sees on the consents page that you stopped the sharing.
          </p>
        </Confirm>
      )}
    </>
  )
}

function Details({ consent }: { readonly consent: ConsentDetail }) {
  const { thirdParty, status, versionOf } = consent
  return (
    <>
      <section class="card" aria-label="Facts">
        <Facts
          facts={{
            'Consent ID': <Identifier value={consent.consentId} />,
            'Third party': (
              <>
                <a href={`/console/consents?third-party=${encodeURIComponent(thirdParty.id)}`}>
                  <ThirdPartyName thirdParty={thirdParty} />
                </a>{' '}
                <Identifier value={thirdParty.id} />
              </>
            ),
            Customer: <Identifier value={consent.customerId} />,
            From: <Time value={consent.from} />,
            Until: <Time value={consent.until} />,
            'Earlier terms of': versionOf && <a href={consentUrl(versionOf)}>{versionOf}</a>,
          }}
        />
        <p class="links">
          <a href={`/console/consents?customer=${encodeURIComponent(consent.customerId)}`}>
            All consents of this customer
          </a>
          {hasExplorer() && <a href={customerUrl(consent.customerId)}>Open in the explorer</a>}
        </p>
      </section>
      <div class="grid">
        <SharedData scopes={consent.scopes} isShared={status === 'active'} />
        <History consent={consent} />
      </div>
      <Accounts consent={consent} />
      <Disclosures consent={consent} />
      <Messages consent={consent} />
    </>
  )
}

/** In the words that the customer read. */
function SharedData({
  scopes,
  isShared,
}: {
  readonly scopes: readonly string[]
  readonly isShared: boolean
}) {
  return (
    <Card title={isShared ? 'What is shared' : 'What was shared'}>
      <ul>
        {describeWords(clusterWords, scopes).map(({ scope, name, permissions }) => (
          <li key={scope}>
            {name}
            {permissions.join() !== name && <p class="muted">{permissions.join(', ')}</p>}
          </li>
        ))}
      </ul>
      <details>
        <summary>Scopes</summary>
        <ul>
          {scopes.map((scope) => (
            <li key={scope}>
              <code>{scope}</code>
            </li>
          ))}
        </ul>
      </details>
    </Card>
  )
}
