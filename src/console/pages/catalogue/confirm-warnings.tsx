import type { ComponentChildren } from 'preact'
import { formatProductWarning, type ProductWarning } from '../../../contract/product-warnings.ts'
import { Notice } from '../../components/states.tsx'

/** Values that are seldom meant, which a person confirms before they are published. */
export function ConfirmWarnings({
  warnings,
  isConfirmed,
  onChange,
  show = formatProductWarning,
}: {
  readonly warnings: readonly ProductWarning[]
  readonly isConfirmed: boolean
  readonly onChange: (isConfirmed: boolean) => void
  readonly show?: (warning: ProductWarning) => ComponentChildren
}) {
  if (warnings.length === 0) return null
  return (
    <Notice kind="warn" title="Are these values meant?">
      <ul>
        {warnings.map((warning) => (
          <li key={warning.path}>{show(warning)}</li>
        ))}
      </ul>
      <label class="choice">
        <input
          type="checkbox"
          checked={isConfirmed}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        <span>I have checked these values</span>
      </label>
    </Notice>
  )
}
