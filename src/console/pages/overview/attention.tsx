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
/** As many products as a person looks at at once. */
const productsMax = 3

/** What an operator or a product manager should look at, before everything else. */
export function Attention({ status }: { readonly status: PlatformStatus }) {
  const hidden = useHiddenProducts()
  const checks = useResource('last check', (signal) => read(listChecks, { signal }), {
    refreshMs,
    keepValue: true,
  })
  const items = [
    ...listServerItems(status.servers),
    ...listFeedItems(status.feeds),
    ...listCheckItems(checks.value?.data ?? []),
    ...listProductItems(hidden?.products ?? []),
  ]
  const more = (hidden?.total ?? 0) - productsMax
  return (
    <Card title="Needs attention" note={items.length > 0 ? items.length : undefined}>
      {items.length === 0 ? (
        <p>
          <Badge kind="good">Healthy</Badge> Nothing needs attention.
        </p>
      ) : (
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
          <code>holdfast products check</code> lists all of them.
        </p>
      )}
    </Card>
  )
}

/** The first products that are published and not public, if the session may read them. */
function useHiddenProducts() {
  const isPermitted = hasScope('products.read')
  const query = { 'page-size': productsMax }
  const { value } = useResource(
    `hidden products ${isPermitted}`,
    async (signal) => (isPermitted ? read(listUnpublishedProducts, { query, signal }) : undefined),
    { refreshMs, keepValue: true },
  )
  return value && { products: value.data.products, total: value.meta.totalRecords }
}
