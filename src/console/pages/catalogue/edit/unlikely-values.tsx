import { formatProductWarning } from '../../../../contract/product-warnings.ts'
import { Badge } from '../../../components/badge.tsx'
import type { Editor } from './editor.ts'
import { FieldLink } from './field-link.tsx'

/** Values that a person confirms before the product is published, while it is edited. */
export function UnlikelyValues({ editor }: { readonly editor: Editor }) {
  const warnings = editor.warnings.value
  if (warnings.length === 0) return null
  return (
    <section class="card" aria-label="Values to check">
      <h2>Values to check</h2>
      <ul class="checks-list">
        {warnings.map((warning) => (
          <li key={warning.path}>
            <Badge kind="warn">Unlikely</Badge>
            <div>
              <FieldLink editor={editor} path={warning.path}>
                {formatProductWarning(warning)}
              </FieldLink>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
