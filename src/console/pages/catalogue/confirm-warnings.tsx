import type { ComponentChildren } from 'preact'
import { formatProductWarning, type ProductWarning } from '../../../contract/product-warnings.ts'
import { Notice } from '../../components/states.tsx'

/** Values that are seldom meant, which a person confirms before they are published. */
export function ConfirmWarnings<Warning extends ProductWarning>({
  warnings,
  isConfirmed,
  onChange,
  show = formatProductWarning,
  children,
}: {
  readonly warnings: readonly Warning[]
  readonly isConfirmed: boolean
  readonly onChange: (isConfirmed: boolean) => void
  readonly show?: (warning: Warning) => ComponentChildren
  /** Below the list. */
  readonly children?: ComponentChildren
}) {
  if (warnings.length === 0) return null
  return (
    <Notice kind="warn" title="Are these values meant?">
      <ul>
        {warnings.map((warning, index) => (
          <li key={index}>{show(warning)}</li>
        ))}
      </ul>
      {children}
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
