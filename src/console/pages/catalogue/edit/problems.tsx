import type { Editor } from './editor.ts'
import { explain } from './explain.ts'
import { formatPath, type Path } from './paths.ts'

/** The problems of a list or a record itself. */
export function Problems({ editor, path }: { readonly editor: Editor; readonly path: Path }) {
  const at = formatPath(path)
  const found = editor.shownProblems.value.filter((problem) => problem.path === at)
  if (found.length === 0) return null
  return (
    <p class="error">{found.map((problem) => explain(editor.product.value, problem)).join(' ')}</p>
  )
}

/** The problems of a list or a record and of everything in it. */
export function countProblems(editor: Editor, prefix: string): number {
  return editor.shownProblems.value.filter(({ path }) => isWithin(path, prefix)).length
}

export function isWithin(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}.`) || path.startsWith(`${prefix}[`)
}
