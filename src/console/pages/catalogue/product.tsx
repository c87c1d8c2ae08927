import { useState } from 'preact/hooks'
import type { ProductDraft, ProductRead } from '../../../contract/index.ts'
import { deleteProduct } from '../../../contract/operations/catalogue.ts'
import { call } from '../../api.ts'
import { Confirm } from '../../components/confirm.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { CustomerView } from '../../components/customer-view.tsx'
import { Identifier } from '../../components/identifier.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { Notice } from '../../components/notice.tsx'
import { PageHeading } from '../../components/page-heading.tsx'
import { Time } from '../../components/time.tsx'
import { useResource } from '../../resource.ts'
import { navigate } from '../../router.ts'
import { hasScope } from '../../session.ts'
import type { ViewProps } from '../../view-props.ts'
import { catalogueUrl, duplicateUrl, productUrl } from './addresses.ts'
import { findState, StateBadge } from './product-state.tsx'
import { type ProductWithState, readProduct, type Tagged } from './read-product.ts'

export function View({ params }: ViewProps) {
  const id = params['id'] ?? ''
  const resource = useResource(id, (signal) => readProduct(id, signal))
  return (
    <>
      <p class="back">
        <a href={catalogueUrl}>Catalogue</a>
      </p>
      {resource.value ? undefined : <PageHeading title="Product" />}
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
      <PageHeading title={shown?.name ?? 'Deleted product'}>
        {mayWrite && shown && (
          <>
            <a class="button" href={productUrl(id, '/edit')}>
              Edit
            </a>
            <a class="button secondary" href={duplicateUrl(id)}>
              Duplicate
            </a>
          </>
        )}
        {change && (
          <a class="button secondary" href={productUrl(id, '/history')}>
            History
          </a>
        )}
        {mayWrite && product && (
          <button type="button" class="secondary" onClick={() => setDeleting(true)}>
            Delete
          </button>
        )}
      </PageHeading>
      {draft && <DraftNotice id={id} draft={draft.body} isNew={!product} />}
      <Facts id={id} state={state} />
      {shown ? (
        <>
          <h2>{product ? 'What customers read' : 'What customers will read'}</h2>
          <CustomerView product={shown} />
          <RawJson product={shown} />
        </>
      ) : (
        <p>
          The product was deleted. Its <a href={productUrl(id, '/history')}>history</a> is kept, and
          a version can be restored from there.
        </p>
      )}
      {isDeleting && product && (
        <DeleteDialog id={id} product={product} onClose={() => setDeleting(false)} />
      )}
    </>
  )
}

function Facts({
  id,
  state: { product, draft, change },
}: {
  readonly id: string
  readonly state: ProductWithState
}) {
  const state = product ? findState(product.body, Date.now()) : 'DRAFT'
  return (
    <dl class="facts">
      <dt>State</dt>
      <dd>{product || draft ? <StateBadge state={state} /> : 'Deleted'}</dd>
      <dt>Product ID</dt>
      <dd>
        <Identifier value={id} />
      </dd>
      {change && (
        <>
          <dt>Version</dt>
          <dd>{change.version}</dd>
          <dt>Last change</dt>
          <dd>
            <Time value={change.changed_at} /> by {change.changed_by_name}
          </dd>
          {change.origin !== undefined && (
            <>
              <dt>Origin</dt>
              <dd>Imported from {change.origin}</dd>
            </>
          )}
        </>
      )}
    </dl>
  )
}

function DraftNotice({
  id,
  draft,
  isNew,
}: {
  readonly id: string
  readonly draft: ProductDraft
  readonly isNew: boolean
}) {
  return (
    <Notice title={isNew ? 'This product is a draft' : 'There is a draft of this product'}>
      <p>
        {draft.changed_by_name} saved it at <Time value={draft.changed_at} />.
        {draft.is_outdated && ' The product has changed since, so the draft cannot be published.'}
      </p>
      {hasScope('products.write') && (
        <p>
          <a href={productUrl(id, '/edit')}>Edit the draft</a>
        </p>
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

function DeleteDialog({
  id,
  product,
  onClose,
}: {
  readonly id: string
  readonly product: Tagged<ProductRead>
  readonly onClose: () => void
}) {
  const remove = async () => {
    await call(deleteProduct, {
      params: { productID: id },
      headers: { 'if-match': product.etag },
    })
    navigate(catalogueUrl)
  }
  return (
    <Confirm
      title={`Delete ${product.body.name}?`}
      action="Delete"
      isDangerous
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        The product can no longer be read or listed. Its history is kept, and you can restore it
        from there. To close it for new applications only, set <em>Effective to</em> instead.
      </p>
    </Confirm>
  )
}
