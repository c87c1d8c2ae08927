import type { Block } from '../../disclosures/block.ts'
import { CommandError } from '../../server/terminal.ts'

/** What was written is not what was recorded. */
export function refuseChanged(block: Block | undefined): void {
  if (!block) return
  const { chain, number } = block
  throw new CommandError(
    1,
    `the records were changed: chain ${chain}, block ${number}. Run holdfast records verify`,
  )
}
