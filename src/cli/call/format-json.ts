import { escapeInvisibleInLines } from '../../contract/characters.ts'

const colours = {
  name: '\u001b[34m',
  text: '\u001b[32m',
  number: '\u001b[33m',
  literal: '\u001b[35m',
  off: '\u001b[0m',
}

/** A member name, another string, a number, or a literal. */
const token = /("(?:[^"\\]|\\.)*")(?=:)|("(?:[^"\\]|\\.)*")|(-?\d[\d.eE+-]*)|true|false|null/g

/** Formats JSON for a terminal: invisible characters are escaped. Text that is not JSON is only escaped. */
export function formatForTerminal(text: string, hasColour: boolean): string {
  const indented = indent(text)
  return indented === undefined
    ? `${escapeInvisibleInLines(text.trimEnd())}\n`
    : `${showJson(indented, hasColour)}\n`
}

/** The search for tokens needs memory for each character of a string, and fails for very long ones. */
const colouredLengthMax = 1_000_000

/** Makes JSON text safe to display, and adds colours unless it is very long. */
export function showJson(text: string, hasColour: boolean): string {
  const safe = escapeInvisibleInLines(text)
  if (!hasColour || safe.length > colouredLengthMax) return safe
  return safe.replaceAll(token, (match, name, string, number) => {
    if (name) return colours.name + match + colours.off
    if (string) return colours.text + match + colours.off
    return (number ? colours.number : colours.literal) + match + colours.off
  })
}

/** TypeScript does not declare the access to source text yet. */
const json = JSON as unknown as {
  parse(
    text: string,
    revive: (name: string, value: unknown, context: { readonly source: string }) => unknown,
  ): unknown
  rawJSON(text: string): unknown
}

/** Parses JSON so that `JSON.stringify` writes every number as it was. Both throw if the text is nested too deeply. */
export function parseExactly(text: string): unknown {
  return json.parse(text, (_name, value, { source }) =>
    typeof value === 'number' ? json.rawJSON(source) : value,
  )
}

/** Undefined if the text is not JSON, or is nested too deeply. */
function indent(text: string): string | undefined {
  try {
    return JSON.stringify(parseExactly(text), null, 2)
  } catch {
    return undefined
  }
}
