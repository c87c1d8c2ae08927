import { CommandError } from '../../server/terminal.ts'

export function parseBatch(text: string | undefined): number | undefined {
  return parseNumber('--batch', text, 999_999_999)
}

/** The value of a flag: a whole number from 1. */
export function parseNumber(
  flag: string,
  text: string | undefined,
  most: number,
): number | undefined {
  if (text === undefined) return undefined
  if (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= most) return Number(text)
  throw new CommandError(2, `${flag} must be a whole number from 1 to ${most}`)
}
