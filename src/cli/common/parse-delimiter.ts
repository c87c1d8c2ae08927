import { CommandError } from '../../server/terminal.ts'

/** A character that can separate the cells of a table: letters, digits and quotes occur in cells. */
export function parseDelimiter(text: string): string {
  if (text === 'tab') return '\t'
  if (/^[\t !#-/:-@[-`{-~]$/.test(text)) return text
  throw new CommandError(2, '--delimiter must be one punctuation character, or tab')
}
