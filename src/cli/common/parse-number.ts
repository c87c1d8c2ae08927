import { CommandError } from '../../server/terminal.ts'

/** The value of a flag: a whole number from 1 on. */
export function parseNumber(flag: string, text: string, max: number, alternative = ''): number {
  const number = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= max) return number
  throw new CommandError(2, `${flag} must be a whole number from 1 to ${max}${alternative}`)
}
