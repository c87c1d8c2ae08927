import { useEffect, useMemo } from 'preact/hooks'
import { PageHeading } from '../../../components/page-heading.tsx'
import { Loaded } from '../../../components/states.tsx'
import { useResource } from '../../../resource.ts'
import type { ViewProps } from '../../../router.ts'
import { readStoredEdit } from '../../../stored-edits.ts'
import { checkConflict } from './actions.ts'
import { takeHandedOver } from './commands.ts'
import { type Loaded as LoadedProduct, newSource, readEdited } from './drafts.ts'
import { createEditor, type Editor, toStoredName } from './editor.ts'
import { EditorPage } from './editor-page.tsx'

interface Props {
  /** Undefined for a new product. */
  readonly id: string | undefined
  /** The id of the product that a new one is a copy of, or empty. */
  readonly from: string
}

/** An existing product, or a new one. `?from={id}` starts with a copy of that product. */
export function View({ params: { id }, query }: ViewProps) {
  const from = id === undefined ? (query.get('from') ?? '') : ''
  return <EditProduct key={id ?? from} id={id} from={from} />
}

function EditProduct(props: Props) {
  const existing = useMemo(() => takeHandedOver(props.id), [])
  if (existing) return <EditorPage editor={existing} title={nameTitle(existing)} />
  if (props.id === undefined && props.from === '') {
    return <StartedEditor {...props} loaded={{ product: emptyProduct, source: newSource }} />
  }
  return <LoadProduct {...props} />
}

/** An unchecked box is a value, and a description may be empty. */
const emptyProduct = { description: '', is_tailored: false }

function LoadProduct(props: Props) {
  const { id, from } = props
  const stored = useMemo(() => readStoredEdit(toStoredName(id, from)), [])
  const resource = useResource(id ?? from, (signal) =>
    id === undefined ? copyProduct(from, signal) : readEdited(id, signal),
  )
  // What was entered can be edited while the server is unreachable.
  const loaded = resource.value ?? (resource.error && stored)
  if (loaded) return <StartedEditor {...props} loaded={loaded} />
  return (
    <>
      <PageHeading title={id === undefined ? 'New product' : 'Edit product'} />
      <Loaded resource={resource}>{() => null}</Loaded>
    </>
  )
}

async function copyProduct(from: string, signal: AbortSignal): Promise<LoadedProduct> {
  const { product } = await readEdited(from, signal)
  return { product: { ...product, name: `Copy of ${product['name']}` }, source: newSource }
}

/** Created once: a later response does not replace what was entered. */
function StartedEditor({ id, from, loaded }: Props & { readonly loaded: LoadedProduct }) {
  const { editor, storedAt } = useMemo(() => {
    const stored = readStoredEdit(toStoredName(id, from))
    const edit = stored ?? { ...loaded, baseline: loaded.product }
    return { editor: createEditor(from, id, edit), storedAt: stored?.storedAt }
  }, [])
  useEffect(() => {
    if (id !== undefined && storedAt !== undefined) checkConflict(editor, loaded).catch(() => {})
  }, [])
  const title = id === undefined ? 'New product' : nameTitle(editor)
  return <EditorPage editor={editor} title={title} restoredAt={storedAt} />
}

/** With the name that was last saved. */
function nameTitle({ baseline }: Editor): string {
  return `Edit ${baseline.value['name']}`
}
