/** The parts of Holdfast whose requests operators can tell from those of others, with their User-Agent. */
export const tools = { console: 'holdfast-console', check: 'holdfast-check' } as const
export type Tool = keyof typeof tools
export const toolNames = Object.keys(tools) as readonly Tool[]

/** A client chooses its User-Agent: the tool is a label for people, and decides nothing. */
export function findTool(userAgent: string | undefined): Tool | undefined {
  return toolNames.find((name) => tools[name] === userAgent)
}
