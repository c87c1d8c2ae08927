import type { ComponentChildren } from 'preact'
import type { Editor } from './editor.ts'
import { focusField } from './focus.ts'
import { toFieldId } from './paths.ts'

/** A link to a field of the form, which may be collapsed or not added yet. */
export function FieldLink({
  editor,
  path,
  onFollow,
  children,
}: {
  readonly editor: Editor
  readonly path: string
  /** Called first, for example to close a dialog. */
  readonly onFollow?: () => void
  readonly children: ComponentChildren
}) {
  return (
    <a
      href={`#${toFieldId(path)}`}
      onClick={(event) => {
        event.preventDefault()
        onFollow?.()
        editor.revealed.value = path
        requestAnimationFrame(() => focusField(path))
      }}
    >
      {children}
    </a>
  )
}
