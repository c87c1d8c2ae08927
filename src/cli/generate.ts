import { Command } from 'commander'
import type { GenerateOptions } from '../generate/index.ts'
import { CommandError, isReaderGone, type Terminal } from '../server/terminal.ts'
import { writeLines } from './common/write-lines.ts'

/** A fixed day, so that a seed produces the same data on every day. */
const untilDefault = '2026-11-01T00:00:00Z'

const customersDefault = 25

/** The numeric flags, with their maximum. */
const sizes = {
  customers: { about: `number of customers (default: ${customersDefault})`, max: 100_000_000 },
  accounts: { about: 'accounts per customer, on average', max: 1000 },
  transactions: { about: 'transactions per account, on average', max: 10_000_000 },
  largeAccount: { about: 'an additional account with this many transactions', max: 1_000_000_000 },
  products: { about: 'number of products', max: 100_000 },
} as const

type Size = keyof typeof sizes
type Options = Partial<Record<Size, string>> & { readonly seed: string; readonly until: string }

export function generateCommand(terminal: Terminal): Command {
  const command = new Command('generate')
    .summary('generate synthetic data as NDJSON')
    .description(
      'Writes synthetic customers of a bank and an energy retailer, with accounts and histories, to standard output as NDJSON for holdfast load. The same flags always produce the same bytes.',
    )
    .option('--seed <text>', 'any text; each seed produces different data', '1')
    .option('--until <time>', 'end of the histories, as an RFC 3339 date-time', untilDefault)
    .addHelpText(
      'after',
      '\nExample: holdfast generate --customers 1000 --seed 7 | holdfast load -',
    )
  for (const name of Object.keys(sizes) as Size[]) {
    command.option(`${sizeFlag(name)} <number>`, sizes[name].about)
  }

  return command.action(async (options: Options) => {
    const generateOptions = parseOptions(options)
    const { generateLines } = await import('../generate/index.ts')
    await writeLines(generateLines(generateOptions), terminal).catch((error: unknown) => {
      // A reader that exits early, such as head, is not a failure.
      if (!isReaderGone(error)) throw error
    })
  })
}

/** Reports all invalid flags together. */
function parseOptions({ seed, until, ...texts }: Options): GenerateOptions {
  const errors: string[] = []
  const numbers = Object.entries(texts).map(([name, text]) => {
    const { max } = sizes[name as Size]
    if (!/^\d{1,10}$/.test(text) || Number(text) > max) {
      errors.push(`${sizeFlag(name)} must be a whole number from 0 to ${max}`)
    }
    return [name, Number(text)] as const
  })
  if (!isInstant(until)) errors.push('--until must be an RFC 3339 date-time')
  if (errors.length > 0) throw new CommandError(2, errors.join('\n'))
  return { customers: customersDefault, seed, until, ...Object.fromEntries(numbers) }
}

function sizeFlag(name: string): string {
  return `--${name.replaceAll(/[A-Z]/g, '-$&').toLowerCase()}`
}

function isInstant(text: string): boolean {
  try {
    Temporal.Instant.from(text)
    return true
  } catch {
    return false
  }
}
