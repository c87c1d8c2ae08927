import { useState } from 'preact/hooks'
import type { ProductSummary } from '../../../contract/index.ts'
import { toLabel } from '../../../contract/labels.ts'
import { listProductSummaries } from '../../../contract/operations/catalogue.ts'
import { read } from '../../api.ts'
import { ActorName } from '../../components/actor-name.tsx'
import { Badge, StateBadge } from '../../components/badge.tsx'
import { ButtonLink, SecondaryButton, SecondaryLink } from '../../components/button.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { type Column, Pager, Table } from '../../components/table.tsx'
import { Ago } from '../../components/time.tsx'
import { useResource } from '../../resource.ts'
import { readCount, setQuery, type ViewProps } from '../../router.ts'
import { hasScope } from '../../session.ts'
import { catalogueUrl, compareUrl, productUrl } from './addresses.ts'
import { ExportDialog } from './export-dialog.tsx'
import { FilterForm } from './filter-form.tsx'
import { type Filters, filterNames, isFiltered, readFilters, toQuery } from './filters.ts'
import { labelState } from './product-state.ts'

/** How many products can be compared. */
const comparedMax = 5

type Selected = ReadonlyMap<string, string>

export function View({ query }: ViewProps) {
  const filters = readFilters(query)
  const page = readCount(query, 'page') ?? 1
  const [isExporting, setExporting] = useState(false)
  const [selected, setSelected] = useState<Selected>(new Map())
  const resource = useResource(
    JSON.stringify([filters, page]),
    (signal) => read(listProductSummaries, { query: { ...toQuery(filters), page }, signal }),
    { keepValue: true },
  )
  const products = resource.value?.data.products ?? []
  return (
    <>
      <PageHeading title="Catalogue" about="The products of all brands, with what changed last">
        <SecondaryButton onClick={() => setExporting(true)}>Export</SecondaryButton>
        {hasScope('products.write') && <AddLinks />}
      </PageHeading>
      <FilterForm filters={filters} brands={[...new Set(products.map(({ brand }) => brand))]} />
      <Loaded resource={resource}>
        {({ data, meta }) => {
          const pager = (
            <Pager
              page={Math.min(page, meta.totalPages + 1)}
              pageCount={meta.totalPages}
              total={meta.totalRecords}
              noun={meta.totalRecords === 1 ? 'product' : 'products'}
            />
          )
          return (
            <div aria-busy={resource.isLoading}>
              {meta.totalRecords === 0 ? (
                <NoProducts filters={filters} />
              ) : (
                <>
                  <Selection selected={selected} onClear={() => setSelected(new Map())} />
                  {data.products.length === 0 ? (
                    <Empty title="This page is after the end of the list" />
                  ) : (
                    <Table
                      caption="Products"
                      columns={createColumns(selected, setSelected)}
                      rows={data.products}
                      rowKey={({ product_id }) => product_id}
                    >
                      {pager}
                    </Table>
                  )}
                  {data.products.length === 0 && pager}
                </>
              )}
            </div>
          )
        }}
      </Loaded>
      {isExporting && <ExportDialog filters={filters} onClose={() => setExporting(false)} />}
    </>
  )
}

function createColumns(
  selected: Selected,
  setSelected: (selected: Selected) => void,
): Column<ProductSummary>[] {
  const toggle = ({ product_id, name }: ProductSummary) => {
    const changed = new Map(selected)
    if (!changed.delete(product_id)) changed.set(product_id, name)
    setSelected(changed)
  }
  return [
    {
      title: 'Select',
      phone: 'hidden',
      cell: (product) => (
        <input
          type="checkbox"
          aria-label={`Select ${product.name}`}
          checked={selected.has(product.product_id)}
          disabled={!selected.has(product.product_id) && selected.size >= comparedMax}
          onChange={() => toggle(product)}
        />
      ),
    },
    {
      title: 'Name',
      isHeading: true,
      isLong: true,
      cell: ({ product_id, name }) => <a href={productUrl(product_id)}>{name}</a>,
    },
    {
      title: 'Category',
      isShortened: true,
      phone: 'hidden',
      cell: ({ product_category }) => toLabel(product_category),
    },
    { title: 'Brand', isShortened: true, cell: ({ brand }) => brand },
    {
      title: 'State',
      phone: 'first',
      cell: ({ state, gaps, has_draft }) => (
        <span class="badges">
          <StateBadge label={labelState(state, gaps)} />
          {has_draft && state !== 'DRAFT' && <Badge kind="warn">Has a draft</Badge>}
        </span>
      ),
    },
    {
      title: 'Changed by',
      isExtra: true,
      phone: 'hidden',
      cell: ({ updated_by: id, updated_by_name: name, updated_by_issuer: issuer }) => (
        <ActorName actor={{ id, name, ...(issuer !== undefined && { issuer }) }} />
      ),
    },
    { title: 'Changed', isNumber: true, cell: ({ updated_at }) => <Ago time={updated_at} /> },
  ]
}

function Selection({
  selected,
  onClear,
}: {
  readonly selected: Selected
  readonly onClear: () => void
}) {
  if (selected.size === 0) return null
  return (
    <p class="buttons selection" role="status">
      <span>
        Selected: {[...selected.values()].join(', ')}
        {selected.size === comparedMax && ` (at most ${comparedMax})`}
      </span>
      {selected.size > 1 ? (
        <ButtonLink href={compareUrl([...selected.keys()])}>Compare</ButtonLink>
      ) : (
        <span class="muted">Select another one to compare them.</span>
      )}
      <SecondaryButton onClick={onClear}>Clear selection</SecondaryButton>
    </p>
  )
}

function AddLinks() {
  return (
    <>
      <SecondaryLink href={`${catalogueUrl}/import`}>Import</SecondaryLink>
      <ButtonLink href={`${catalogueUrl}/new`}>New product</ButtonLink>
    </>
  )
}

function NoProducts({ filters }: { readonly filters: Filters }) {
  if (isFiltered(filters)) {
    const none = Object.fromEntries([...filterNames, 'page'].map((name) => [name, undefined]))
    return (
      <Empty title="No product matches">
        <p>Change the search or the filters.</p>
        <SecondaryButton onClick={() => setQuery(none)}>Clear filters</SecondaryButton>
      </Empty>
    )
  }
  return (
    <Empty title="The catalogue is empty">
      <p>
        It contains the products that anyone can read at <code>/v1/data-provider/cdr/products</code>
        .
      </p>
      {hasScope('products.write') ? (
        <p class="buttons">
          <AddLinks />
        </p>
      ) : (
        <p>
          To load products, run <code>holdfast load FILE</code>.
        </p>
      )}
    </Empty>
  )
}
