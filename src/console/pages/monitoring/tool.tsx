import type { Tool } from '../../../contract/tools.ts'
import { Badge } from '../../components/badge.tsx'

const names: Readonly<Record<Tool, string>> = { console: 'Console', check: 'Check' }

/** Marks a request of the console or of a check: its error is no fault of a client. */
export function ToolBadge({ tool }: { readonly tool: Tool | undefined }) {
  return tool ? <Badge>{names[tool]}</Badge> : null
}
