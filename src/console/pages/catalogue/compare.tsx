import { useState } from 'preact/hooks'
import type { ProductRead } from '../../../contract/index.ts'
import { getProduct } from '../../../contract/operations/catalogue.ts'
import { getProductDraft } from '../../../contract/operations/drafts.ts'
import { ifFound, read } from '../../api.ts'
import { SecondaryButton } from '../../components/button.tsx'
import { Identifier } from '../../components/identifier.tsx'
import { LongTable } from '../../components/long-table.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { ProductValue } from '../../components/product-value.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import type { Column } from '../../components/table.tsx'
import { useResource } from '../../resource.ts'
import type { ViewProps } from '../../router.ts'
import { catalogueCrumbs, catalogueUrl, productUrl, readComparedIds } from './addresses.ts'
import { type ComparedRow, compareProducts } from './compare-rows.ts'
import { toInput } from './edit/drafts.ts'

/** More columns are not readable. */
const idsMax = 5

export function View({ query }: ViewProps) {
  const ids = readComparedIds(query).slice(0, idsMax)
  return (
    <>
      <PageHeading title="Compare products" crumbs={catalogueCrumbs} />
      {ids.length < 2 ? (
        <Empty title="Nothing to compare">
          <p>
            Select two to five products in the <a href={catalogueUrl}>catalogue</a>.
          </p>
        </Empty>
      ) : (
        <Comparison ids={ids} />
      )}
    </>
  )
}

function Comparison({ ids }: { readonly ids: readonly string[] }) {
  const [showsEqual, setShowsEqual] = useState(false)
  const resource = useResource(JSON.stringify(ids), (signal) =>
    Promise.all(ids.map((id) => readCompared(id, signal))),
  )
  return (
    <Loaded resource={resource}>
      {(products) => {
        const rows = compareProducts(products.map(toInput))
        const different = rows.filter(({ isDifferent }) => isDifferent)
        const equal = rows.filter(({ isDifferent }) => !isDifferent)
        return (
          <>
            <ul class="links">
              {products.map(({ product_id, name }) => (
                <li key={product_id}>
                  <a href={productUrl(product_id)}>{name}</a> <Identifier value={product_id} />
                </li>
              ))}
            </ul>
            <h2>{different.length} fields differ</h2>
            {different.length === 0 ? (
              <p>All fields of these products are equal.</p>
            ) : (
              <ComparedFields caption="Fields that differ" products={products} rows={different} />
            )}
            <p>
              <SecondaryButton
                aria-expanded={showsEqual}
                onClick={() => setShowsEqual(!showsEqual)}
              >
                {showsEqual ? 'Hide' : 'Show'} {equal.length} equal fields
              </SecondaryButton>
            </p>
            {showsEqual && equal.length > 0 && (
              <ComparedFields caption="Fields that are equal" products={products} rows={equal} />
            )}
          </>
        )
      }}
    </Loaded>
  )
}

/** A product, or the draft of one that does not exist. */
async function readCompared(id: string, signal: AbortSignal): Promise<ProductRead> {
  const input = { params: { productID: id }, signal }
  return (await ifFound(read(getProduct, input))) ?? (await read(getProductDraft, input)).product
}

function ComparedFields({
  caption,
  products,
  rows,
}: {
  readonly caption: string
  readonly products: readonly ProductRead[]
  readonly rows: readonly ComparedRow[]
}) {
  const columns: readonly Column<ComparedRow>[] = [
    { title: 'Field', isHeading: true, cell: ({ path }) => path.join(' › ') },
    ...products.map(({ name }, index) => ({
      title: name,
      cell: ({ cells }: ComparedRow) => {
        const cell = cells[index]
        return cell ? <ProductValue {...cell} /> : <span class="muted">not set</span>
      },
    })),
  ]
  const rowKey = ({ path }: ComparedRow) => JSON.stringify(path)
  return <LongTable caption={caption} columns={columns} rows={rows} rowKey={rowKey} isStacked />
}
