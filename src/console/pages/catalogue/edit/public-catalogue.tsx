import { describePath } from '../../../../contract/labels.ts'
import { formatProblem } from '../../../../contract/problems.ts'
import { countGaps } from '../../../../contract/publicity.ts'
import { Badge } from '../../../components/badge.tsx'
import { LinkButton } from '../../../components/button.tsx'
import type { Editor } from './editor.ts'
import { explain } from './explain.ts'
import { FieldLink } from './field-link.tsx'

/** As many as a person corrects at once. */
const shownMax = 12

const panelId = 'public-catalogue'

/** How many gaps there are, where the panel is below the form. */
export function GapCount({ editor }: { readonly editor: Editor }) {
  const { length } = editor.gaps.value
  if (length === 0) return undefined
  return (
    <span class="gap-count">
      <LinkButton onClick={() => document.getElementById(panelId)?.focus()}>
        Public catalogue: {countGaps(length)}
      </LinkButton>
    </span>
  )
}

/** What keeps the product out of the public catalogue, while it is edited, with links to the fields. */
export function PublicCatalogue({ editor }: { readonly editor: Editor }) {
  const gaps = editor.gaps.value
  return (
    <section id={panelId} class="card" aria-label="Public catalogue" tabIndex={-1}>
      <h2>Public catalogue</h2>
      <p class={gaps.length === 0 ? 'notice good' : 'notice warn'} role="status">
        {gaps.length === 0
          ? 'Complete: it will be public when it is published.'
          : `Not visible to comparison sites: ${countGaps(gaps.length)}.`}
      </p>
      <ul class="checks-list">
        {gaps.slice(0, shownMax).map((gap) => (
          <li key={formatProblem(gap)}>
            <Badge kind="bad">Missing</Badge>
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
