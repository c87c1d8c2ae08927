import { useEffect, useRef } from 'preact/hooks'
import { describePath } from '../../../../contract/labels.ts'
import { formatProblem } from '../../../../contract/problems.ts'
import { formatCount } from '../../../labels.ts'
import type { Editor } from './editor.ts'
import { explain } from './explain.ts'
import { FieldLink } from './field-link.tsx'

/** As many as a person reads at once. The rest is beside the fields. */
const shownMax = 20

/** All problems after an attempt to save, with links to their fields. It gets the focus with every attempt. */
export function ErrorList({ editor }: { readonly editor: Editor }) {
  const attempt = editor.attempts.value
  const ref = useRef<HTMLElement>(null)
  useEffect(() => {
    if (attempt > 0) ref.current?.focus()
  }, [attempt])
  const problems = editor.shownProblems.value
  if (attempt === 0 || problems.length === 0) return null
  return (
    <section class="notice bad error-list" ref={ref} tabIndex={-1} aria-labelledby="error-list">
      <h2 id="error-list">
        {formatCount(problems.length, 'error')} to correct before the draft can be saved
      </h2>
      <ul>
        {problems.slice(0, shownMax).map((problem) => (
          <li key={formatProblem(problem)}>
            {problem.path === '' ? (
              problem.reason
            ) : (
              <FieldLink editor={editor} path={problem.path}>
                {describePath(problem.path)}: {explain(editor.product.value, problem)}
              </FieldLink>
            )}
          </li>
        ))}
      </ul>
      {problems.length > shownMax && <p>And {problems.length - shownMax} more.</p>}
    </section>
  )
}
