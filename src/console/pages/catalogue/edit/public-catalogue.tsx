import { computed } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { describePath } from '../../../../contract/labels.ts'
import { formatProblem } from '../../../../contract/problems.ts'
import { countGaps } from '../../../../contract/publicity.ts'
import { Badge } from '../../../components/badge.tsx'
import { findGaps } from '../find-gaps.ts'
import type { Editor } from './editor.ts'
import { explain } from './explain.ts'
import { FieldLink } from './field-link.tsx'

/** As many as a person corrects at once. */
const shownMax = 12

/** What keeps the product out of the public catalogue, while it is edited, with links to the fields. */
export function PublicCatalogue({ editor }: { readonly editor: Editor }) {
  const gaps = useMemo(
    () => computed(() => findGaps(editor.product.value, editor.id.value)),
    [editor],
  ).value
  return (
    <section class="card public-catalogue" aria-label="Public catalogue">
      <h2>Public catalogue</h2>
      <p class={gaps.length === 0 ? 'notice good' : 'notice warn'} role="status">
        {gaps.length === 0
          ? 'Complete: it will be public when it is published.'
          : `Not visible to comparison sites: ${countGaps(gaps.length)}.`}
      </p>
      <ul class="checks-list">
        {gaps.slice(0, shownMax).map((gap) => (
          <li key={formatProblem(gap)}>
            <Badge kind="bad">missing</Badge>
            <div>
              <FieldLink editor={editor} path={gap.path}>
                {describePath(gap.path)}
              </FieldLink>
              <span class="muted">{explain(editor.product.value, gap)}</span>
            </div>
          </li>
        ))}
      </ul>
      {gaps.length > shownMax && <p class="muted">And {gaps.length - shownMax} more.</p>}
    </section>
  )
}
