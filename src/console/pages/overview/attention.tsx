import type { ComponentChildren } from 'preact'
import type { PlatformStatus, UnpublishedProduct } from '../../../contract/index.ts'
import { listUnpublishedProducts } from '../../../contract/operations/catalogue.ts'
import { countGaps } from '../../../contract/publicity.ts'
import { read } from '../../api.ts'
import { Badge } from '../../components/badge.tsx'
import { Card } from '../../components/card.tsx'
import { capitalize, formatCount } from '../../labels.ts'
import { useResource } from '../../resource.ts'
import { hasScope } from '../../session.ts'
import { productUrl } from '../catalogue/addresses.ts'

const refreshMs = () => 15_000
/** As many products as a person looks at at once. */
const productsMax = 3

/** Something to look at: what it is about, in which colour, and what happened. */
interface Item {
  readonly about: string
  readonly kind: 'warn' | 'bad'
  readonly content: ComponentChildren
}

/** What an operator or a product manager should look at, before everything else. */
export function Attention({ status }: { readonly status: PlatformStatus }) {
  const hidden = useHiddenProducts()
  const items = [...listServers(status), ...listProducts(hidden?.products ?? [])]
  const more = (hidden?.total ?? 0) - productsMax
  return (
    <Card title="Needs attention" note={items.length > 0 ? items.length : undefined}>
      {items.length === 0 ? (
        <p>
          <Badge kind="good">Healthy</Badge> Nothing needs attention.
        </p>
      ) : (
        <ul class="checks-list">
          {items.map(({ about, kind, content }, index) => (
            <li key={index}>
              <Badge kind={kind}>{about}</Badge>
              <div>{content}</div>
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

function listServers({ servers }: PlatformStatus): Item[] {
  return servers
    .filter(({ status }) => status !== 'ok')
    .flatMap(({ role, reasons, status }) =>
      (reasons.length > 0 ? reasons : [status]).map((reason) => ({
        about: 'Server',
        kind: status === 'unavailable' ? 'bad' : 'warn',
        content: `${capitalize(role)}: ${reason}`,
      })),
    )
}

function listProducts(products: readonly UnpublishedProduct[]): Item[] {
  return products.map(({ product_id: id, name, faults }) => ({
    about: 'Catalogue',
    kind: 'warn',
    content: (
      <>
        <a href={productUrl(id, hasScope('products.write') ? '/edit' : '')}>
          {name} is not in the public catalogue
        </a>
        <span class="muted">Published, {countGaps(faults.length)}</span>
      </>
    ),
  }))
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
