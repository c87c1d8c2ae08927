import { Command } from 'commander'
import type { GenerateOptions } from '../generate/index.ts'
import { CommandError, isReaderGone, type Terminal } from '../server/terminal.ts'

/** Where histories end unless told otherwise: a fixed day, so that a seed means the same on every day. */
const untilDefault = '2026-11-01T00:00:00Z'

const chunkLength = 256 * 1024

/** The flags that are numbers, with what they mean and how large they may be. */
const sizes = {
  customers: { about: 'how many customers', most: 100_000_000 },
  accounts: { about: 'accounts a customer, on average', most: 1000 },
  transactions: { about: 'transactions an account, on average', most: 10_000_000 },
  largeAccount: { about: 'one more account, with that many transactions', most: 1_000_000_000 },
  products: { about: 'how many products', most: 100_000 },
} as const

type Size = keyof typeof sizes
type Options = Partial<Record<Size, string>> & { readonly seed: string; readonly until: string }

export function generateCommand(terminal: Terminal): Command {
  const command = new Command('generate')
    .summary('write synthetic lines of data')
    .description(
      'Writes invented customers of a bank and an energy retailer, with accounts and histories, as lines that load reads. The same flags give the same bytes.',
    )
    .option('--seed <text>', 'any text; another one gives other data', '1')
    .option('--until <time>', 'when the histories end, an RFC 3339 date-time', untilDefault)
    .addHelpText(
      'after',
      '\nExample: holdfast generate --customers 1000 --seed 7 | holdfast load -',
    )
  for (const name of Object.keys(sizes) as Size[]) {
    const flag = name.replaceAll(/[A-Z]/g, '-$&').toLowerCase()
    command.option(`--${flag} <number>`, sizes[name].about)
  }

  return command.action(async (options: Options) => {
    const wanted = optionsOf(options)
    const { generateLines } = await import('../generate/index.ts')
    let text = ''
    try {
      for (const line of generateLines(wanted)) {
        text += `${line}\n`
        if (text.length < chunkLength) continue
        await terminal.write(text)
        text = ''
      }
      await terminal.write(text)
    } catch (error) {
      // A reader that has seen enough, as head has, is no failure: nothing is lost.
      if (!isReaderGone(error)) throw error
    }
  })
}

/** Everything that is wrong with the flags is said at once. */
function optionsOf({ seed, until, ...given }: Options): GenerateOptions {
  const wrong: string[] = []
  const numbers = Object.entries(given).map(([name, text]) => {
    const { most } = sizes[name as Size]
    if (!/^\d{1,10}$/.test(text) || Number(text) > most) {
      const flag = name.replaceAll(/[A-Z]/g, '-$&').toLowerCase()
      wrong.push(`--${flag} must be a whole number from 0 to ${most}`)
    }
    return [name, Number(text)] as const
  })
  if (!isInstant(until)) wrong.push('--until must be an RFC 3339 date-time')
  if (wrong.length > 0) throw new CommandError(2, wrong.join('\n'))
  return { customers: 25, seed, until, ...Object.fromEntries(numbers) }
}

function isInstant(text: string): boolean {
  try {
    Temporal.Instant.from(text)
    return true
  } catch {
    return false
  }
}
