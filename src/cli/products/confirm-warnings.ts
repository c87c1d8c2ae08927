import { findProductWarnings, formatProductWarning } from '../../contract/product-warnings.ts'
import type { Terminal } from '../../server/terminal.ts'
import { requireYes } from '../common/require-yes.ts'

export interface Confirming {
  /** Publishes without asking. */
  readonly yes: boolean
  readonly signal: AbortSignal
}

/** Names the values that are seldom meant, in the words of the console, and asks whether to publish them. */
export async function confirmWarnings(
  product: object,
  { yes, signal }: Confirming,
  terminal: Terminal,
): Promise<void> {
  const warnings = findProductWarnings(product)
  if (warnings.length === 0) return
  for (const warning of warnings) terminal.error(`warning: ${formatProductWarning(warning)}\n`)
  if (yes) return
  await requireYes('Publish these values?', {
    asking: 'publishing unlikely values',
    otherwise: 'nothing was published',
    terminal,
    signal,
  })
}
