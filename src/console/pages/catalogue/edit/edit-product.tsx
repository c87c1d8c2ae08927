import { useEffect, useMemo } from 'preact/hooks'
import { Loaded } from '../../../components/loaded.tsx'
import { PageHeading } from '../../../components/page-heading.tsx'
import { useResource } from '../../../resource.ts'
import { readStoredEdit } from '../../../stored-edits.ts'
import type { ViewProps } from '../../../view-props.ts'
import { checkConflict } from './actions.ts'
import { type Loaded as LoadedProduct, readEdited } from './drafts.ts'
import { createEditor, type Editor, toStoredName } from './editor.ts'
import { EditorPage } from './editor-page.tsx'
import { takeHandedOver } from './hand-over.ts'

export function View({ params: { id = '' } }: ViewProps) {
  return <EditProduct key={id} id={id} />
}

const title = 'Edit product'

function EditProduct({ id }: { readonly id: string }) {
  const existing = useMemo(() => takeHandedOver(id), [])
  if (existing) return <EditorPage editor={existing} title={nameTitle(existing)} />
  return <LoadProduct id={id} />
}

function LoadProduct({ id }: { readonly id: string }) {
  const stored = useMemo(() => readStoredEdit(toStoredName(id, '')), [])
  const resource = useResource(id, (signal) => readEdited(id, signal))
  // What was entered can be edited while the server is unreachable.
  if (stored && resource.error) return <StartedEditor id={id} loaded={stored} />
  if (!resource.value) {
    return (
      <>
        <PageHeading title={title} />
        <Loaded resource={resource}>{() => null}</Loaded>
      </>
    )
  }
  return <StartedEditor id={id} loaded={resource.value} />
}

/** Created once: a later response does not replace what was entered. */
function StartedEditor({ id, loaded }: { readonly id: string; readonly loaded: LoadedProduct }) {
  const { editor, storedAt } = useMemo(() => {
    const stored = readStoredEdit(toStoredName(id, ''))
    const edit = stored ?? { ...loaded, baseline: loaded.product }
    return { editor: createEditor('', id, edit), storedAt: stored?.storedAt }
  }, [])
  useEffect(() => {
    if (storedAt !== undefined) checkConflict(editor, loaded).catch(() => {})
  }, [])
  return <EditorPage editor={editor} title={nameTitle(editor)} restoredAt={storedAt} />
}

/** With the name that was last saved. */
function nameTitle({ baseline }: Editor): string {
  return `Edit ${baseline.value['name']}`
}
