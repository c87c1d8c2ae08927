import { useState } from 'preact/hooks'
import type { ProductDraft, ProductRead } from '../../../contract/index.ts'
import { deleteProduct } from '../../../contract/operations/catalogue.ts'
import { call } from '../../api.ts'
import { ChangedBy } from '../../components/actor-name.tsx'
import { StateBadge, type StateLabel } from '../../components/badge.tsx'
import { ButtonLink, SecondaryButton, SecondaryLink } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { CustomerView } from '../../components/customer-view.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { Facts } from '../../components/facts.tsx'
import { FieldDiff } from '../../components/field-diff.tsx'
import { CopyButton, Identifier } from '../../components/identifier.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Loaded, Notice } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useResource } from '../../resource.ts'
import { navigate, type ViewProps } from '../../router.ts'
import { hasScope } from '../../session.ts'
import { catalogueCrumbs, catalogueUrl, duplicateUrl, productUrl } from './addresses.ts'
import { toInput } from './edit/drafts.ts'
import { findGaps } from './find-gaps.ts'
import { findState, labelState, states } from './product-state.ts'
import { type ProductWithState, readProduct } from './read-product.ts'

export function View({ params }: ViewProps) {
  const id = params['id'] ?? ''
  const resource = useResource(id, (signal) => readProduct(id, signal))
  return (
    <>
      {resource.value ? undefined : <PageHeading title="Product" crumbs={catalogueCrumbs} />}
      <Loaded resource={resource}>{(state) => <Details id={id} state={state} />}</Loaded>
    </>
  )
}

function Details({ id, state }: { readonly id: string; readonly state: ProductWithState }) {
  const { product, draft, change } = state
  const [isDeleting, setDeleting] = useState(false)
  const shown = product?.body ?? draft?.body.product
  const mayWrite = hasScope('products.write')
  return (
    <>
      <PageHeading
        title={shown?.name ?? 'Deleted product'}
        crumbs={catalogueCrumbs}
        state={shown && <StateBadge label={findShownState(product?.body)} />}
        about={shown && (shown.brand_name ?? shown.brand)}
      >
        {change && <SecondaryLink href={productUrl(id, '/history')}>History</SecondaryLink>}
        {mayWrite && product && (
          <SecondaryButton onClick={() => setDeleting(true)}>Delete</SecondaryButton>
        )}
        {mayWrite && shown && (
          <>
            <SecondaryLink href={duplicateUrl(id)}>Duplicate</SecondaryLink>
            <ButtonLink href={productUrl(id, '/edit')}>Edit</ButtonLink>
          </>
        )}
      </PageHeading>
      {draft && <DraftNotice id={id} draft={draft.body} product={product?.body} />}
      <ProductFacts id={id} state={state} />
      {shown ? (
        <>
          <Card title={product ? 'What customers read' : 'What customers will read'}>
            <CustomerView product={shown} />
          </Card>
          <RawJson product={shown} />
        </>
      ) : (
        <p>
          The product was deleted. Its <a href={productUrl(id, '/history')}>history</a> is kept, and
          a version can be restored from there.
        </p>
      )}
      {isDeleting && product && (
        <Confirm
          title={`Delete ${product.body.name}?`}
          action="Delete"
          isDangerous
          onConfirm={async () => {
            const headers = { 'if-match': product.etag }
            await call(deleteProduct, { params: { productID: id }, headers })
            navigate(catalogueUrl)
          }}
          onClose={() => setDeleting(false)}
        >
          <p>
            The product can no longer be read or listed. Its history is kept, and you can restore it
            from there. To close it for new applications only, set <em>Effective to</em> instead.
          </p>
        </Confirm>
      )}
    </>
  )
}

function findShownState(product: ProductRead | undefined): StateLabel {
  if (!product) return states.DRAFT
  return labelState(findState(product, Date.now()), findGaps(product).length)
}

function ProductFacts({
  id,
  state: { product, draft, change },
}: {
  readonly id: string
  readonly state: ProductWithState
}) {
  return (
    <Facts
      facts={{
        State: product || draft ? undefined : 'Deleted',
        'Product ID': <Identifier value={id} />,
        Version: change?.version,
        'Last change': change && (
          <>
            <Time value={change.changed_at} /> by <ChangedBy change={change} />
          </>
        ),
        Origin: change?.origin && `Imported from ${change.origin}`,
      }}
    />
  )
}

function DraftNotice({
  id,
  draft,
  product,
}: {
  readonly id: string
  readonly draft: ProductDraft
  /** Undefined if it was never published. */
  readonly product: ProductRead | undefined
}) {
  const isNew = product === undefined
  const [isShown, setShown] = useState(false)
  return (
    <Notice title={isNew ? 'This product is a draft' : 'There is a draft of this product'}>
      <p>
        <ChangedBy change={draft} /> saved it at <Time value={draft.changed_at} />.
        {draft.is_outdated && ' The product has changed since, so the draft cannot be published.'}
      </p>
      <p class="buttons">
        {!isNew && (
          <SecondaryButton onClick={() => setShown(!isShown)}>See changes</SecondaryButton>
        )}
        {hasScope('products.write') && (
          <SecondaryLink href={productUrl(id, '/edit?publish=1')}>Publish …</SecondaryLink>
        )}
        {hasScope('products.write') && <a href={productUrl(id, '/edit')}>Edit the draft</a>}
      </p>
      {isShown && product && (
        <FieldDiff
          before={toInput(product)}
          after={toInput(draft.product)}
          beforeLabel="Published"
          afterLabel="Draft"
        />
      )}
    </Notice>
  )
}

function RawJson({ product }: { readonly product: ProductRead }) {
  const [isOpen, setOpen] = useState(false)
  const text = isOpen ? JSON.stringify(product, null, 2) : ''
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>JSON</summary>
      {isOpen && (
        <>
          <pre>{text}</pre>
          <CopyButton label="Copy JSON" text={text} />
        </>
      )}
    </details>
  )
}
