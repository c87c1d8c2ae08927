import type { PlatformStatus } from '../../../contract/index.ts'
import { listUnpublishedProducts } from '../../../contract/operations/catalogue.ts'
import { listChecks } from '../../../contract/operations/checks.ts'
import { read } from '../../api.ts'
import { Badge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { Ago } from '../../components/time.tsx'
import { formatCount } from '../../labels.ts'
import { useResource } from '../../resource.ts'
import { hasScope } from '../../session.ts'
import { listCheckItems, listFeedItems, listProductItems, listServerItems } from './items.ts'

const refreshMs = () => 15_000
/** Of a session that may not read the catalogue. */
const noProducts = { data: { products: [] }, meta: { totalRecords: 0 } }

/** As many products as a person looks at at once. */
const productsMax = 3

/** What an operator or a product manager should look at, before everything else. */
export function Attention({
  status,
  isCurrent,
}: {
  readonly status: PlatformStatus
  /** False if the status could not be read again. */
  readonly isCurrent: boolean
}) {
  const hidden = useHiddenProducts()
  const checks = useResource('last check', (signal) => read(listChecks, { signal }), {
    refreshMs,
    keepValue: true,
  })
  const items = [
    ...listServerItems(status.servers),
    ...listFeedItems(status.feeds),
    ...listCheckItems(checks.value?.data ?? []),
    ...listProductItems(hidden.value?.data.products ?? []),
  ]
  const more = (hidden.value?.meta.totalRecords ?? 0) - productsMax
  return (
    <Card title="Needs attention" note={items.length > 0 ? items.length : undefined}>
      {!isCurrent || checks.error || hidden.error ? (
        <p>
          <Badge kind="warn">Not known</Badge> Not everything could be read{' '}
          {items.length > 0 ? 'again. What was found before:' : 'now.'}
        </p>
      ) : checks.value === undefined || hidden.value === undefined ? (
        <p>
          <Badge>Loading</Badge> The checks and the catalogue are being read.
        </p>
      ) : (
        items.length === 0 && (
          <p>
            <Badge kind="good">Healthy</Badge> Nothing needs attention.
          </p>
        )
      )}
      {items.length > 0 && (
        <ul class="checks-list">
          {items.map(({ about, kind, event, href, since, advice }) => (
            <li key={`${about} ${event}`}>
              <Badge kind={kind}>{about}</Badge>
              <div>
                <a href={href}>{event}</a>
                <span class="muted">
                  {since !== undefined && (
                    <>
                      First seen <Ago time={since} />.{' '}
                    </>
                  )}
                  {advice}
                </span>
              </div>
            </li>
          ))}
        </ul>
      )}
      {more > 0 && (
        <p class="muted">
          {formatCount(more)} more products are not in the public catalogue:{' '}
          <a href="/console/catalogue?state=GAPS">see all of them</a>.
        </p>
      )}
    </Card>
  )
}

/** The first products that are published and not public, if the session may read them. */
function useHiddenProducts() {
  const isPermitted = hasScope('products.read')
  const query = { effective: 'CURRENT', 'page-size': productsMax } as const
  return useResource(
    `hidden products ${isPermitted}`,
    async (signal) => (isPermitted ? read(listUnpublishedProducts, { query, signal }) : noProducts),
    { refreshMs, keepValue: true },
  )
}
