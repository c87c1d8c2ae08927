import { useMemo } from 'preact/hooks'
import { Loaded } from '../../../components/loaded.tsx'
import { PageHeading } from '../../../components/page-heading.tsx'
import { useResource } from '../../../resource.ts'
import { readStoredEdit } from '../../../stored-edits.ts'
import type { ViewProps } from '../../../view-props.ts'
import { type Fields, readEdited } from './drafts.ts'
import { createEditor, toStoredName } from './editor.ts'
import { EditorPage } from './editor-page.tsx'

const title = 'New product'

/** An unchecked box is a value, and a description may be empty. */
const emptyProduct: Fields = { description: '', is_tailored: false }

/** `?from={id}` starts with a copy of that product. */
export function View({ query }: ViewProps) {
  const from = query.get('from') ?? ''
  return from === '' ? (
    <NewProduct key="" from="" product={emptyProduct} />
  ) : (
    <CopiedProduct key={from} from={from} />
  )
}

function CopiedProduct({ from }: { readonly from: string }) {
  const resource = useResource(from, (signal) => readEdited(from, signal))
  if (resource.value) {
    const { product } = resource.value
    const copy = { ...product, name: `Copy of ${product['name']}` }
    return <NewProduct from={from} product={copy} />
  }
  return (
    <>
      <PageHeading title={title} />
      <Loaded resource={resource}>{() => null}</Loaded>
    </>
  )
}

/** Created once: a later response does not replace what was entered. */
function NewProduct({ from, product }: { readonly from: string; readonly product: Fields }) {
  const { editor, storedAt } = useMemo(() => {
    const stored = readStoredEdit(toStoredName(undefined, from))
    const source = { baseVersion: 0, isOutdated: false }
    const edit = stored ?? { product, baseline: product, source }
    return { editor: createEditor(from, undefined, edit), storedAt: stored?.storedAt }
  }, [])
  return <EditorPage editor={editor} title={title} restoredAt={storedAt} />
}
