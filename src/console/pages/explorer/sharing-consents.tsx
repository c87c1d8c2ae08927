import { listConsents } from '../../../contract/operations/consents.ts'
import { read } from '../../api.ts'
import { StateBadge } from '../../components/badge.tsx'
import { Loaded } from '../../components/states.tsx'
import { useResource } from '../../resource.ts'
import { consentUrl, ThirdPartyName } from '../consents/columns.tsx'
import { statuses } from '../consents/labels.ts'

/** Of the customer. Those of one customer are few. */
const consentsMax = 100
/** The others are on the page of consents. */
const shownMax = 5

/** The consents of the customer that have the account, those that changed last first. */
export function SharingConsents({
  customerId,
  accountId,
}: {
  readonly customerId: string
  readonly accountId: string
}) {
  const consents = useResource(`sharing ${customerId}\n${accountId}`, async (signal) => {
    const query = { customer: customerId, order: 'newest', 'page-size': consentsMax }
    const { data } = await read(listConsents, { query, signal })
    return data.filter(({ accountIds }) => accountIds.includes(accountId))
  })
  return (
    <section class="card" aria-label="Consents with this account">
      <h2>Consents</h2>
      <Loaded resource={consents}>
        {(list) =>
          list.length === 0 ? (
            <p class="muted">No consent has this account.</p>
          ) : (
            <>
              <ul class="checks-list">
                {list.slice(0, shownMax).map(({ consentId, status, thirdParty }) => (
                  <li key={consentId}>
                    <StateBadge label={statuses[status]} />
                    <a href={consentUrl(consentId)}>
                      <ThirdPartyName thirdParty={thirdParty} />
                    </a>
                  </li>
                ))}
              </ul>
              {list.length > shownMax && (
                <a href={`/console/consents?customer=${encodeURIComponent(customerId)}`}>
                  All consents of this customer
                </a>
              )}
            </>
          )
        }
      </Loaded>
    </section>
  )
}
