import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import type { Head } from '../../disclosures/block.ts'
import { type Verification, verifyRecords } from '../../disclosures/verify.ts'
import { CommandError, type Terminal } from '../../server/terminal.ts'
import { formatQuantity } from '../common/format-count.ts'
import { openProgressLine } from '../common/progress-line.ts'
import { createSubcommand } from '../common/subcommands.ts'
import { addSideOption, type RecordFlags, withRecords } from './open-records.ts'

interface Flags extends RecordFlags {
  readonly heads?: string
  readonly json?: true
}

export function verifyCommand(terminal: Terminal): Command {
  return addSideOption(
    createSubcommand('verify', 'find records that were changed, inserted or removed'),
  )
    .option('--heads <file>', 'also compare the signed heads in this log of the server')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Reads all blocks once. For each chain, the first block that is not as it was
written is named, and the exit status is 1. A process that was killed leaves a
chain without an end: its last records are proved only by the heads in the log.

Example: holdfast records verify --heads platform.log`,
    )
    .action(async (flags: Flags) => {
      const { openStatements } = await import('../../disclosures/statement.ts')
      const anchors = flags.heads === undefined ? [] : await readHeads(flags.heads)
      const progress = openProgressLine(terminal)
      const found = await withRecords(flags, terminal, async ({ store, signingKeys }) =>
        verifyRecords(store, await openStatements(signingKeys), anchors, (blocks) =>
          progress.show(() => `${formatQuantity(blocks, 'block')} verified`),
        ),
      ).finally(() => progress.clear())
      terminal.out(flags.json ? `${JSON.stringify(found, null, 2)}\n` : format(found))
      const { length } = found.broken
      if (length > 0) throw new CommandError(1, `${formatQuantity(length, 'chain')} broken`)
    })
}

function format({ chains, blocks, records, unsent, open, broken }: Verification): string {
  const counts = [
    formatQuantity(records, 'record'),
    `in ${formatQuantity(blocks, 'block')}`,
    `of ${formatQuantity(chains, 'chain')}`,
  ]
  return [
    `verified ${counts.join(' ')}\n`,
    ...(unsent > 0 ? [`${formatQuantity(unsent, 'record')} of answers that were not sent\n`] : []),
    ...open.map(({ chain, number }) => `chain ${chain} has no end yet: block ${number}\n`),
    ...broken.map(({ chain, number, fault }) => `chain ${chain}, block ${number}: ${fault}\n`),
  ].join('')
}

/** The last head of each chain in a log, of which other lines are ignored. A chain begins with a head before its first block. */
async function readHeads(file: string): Promise<Head[]> {
  const heads = new Map<string, Head>()
  try {
    for await (const line of createInterface({ input: createReadStream(file) })) {
      const head = parseHead(line)
      const known = head && heads.get(head.chain)
      if (head && (!known || head.number > known.number)) heads.set(head.chain, head)
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new CommandError(2, `--heads: cannot read ${file}: ${code}`)
  }
  if (heads.size > 0) return [...heads.values()]
  throw new CommandError(2, `--heads: ${file} has no line with a signed head of records`)
}

function parseHead(line: string): Head | undefined {
  if (!line.includes('"statement"')) return undefined
  try {
    const { chain, block: number, hash } = JSON.parse(line) as Record<string, unknown>
    const isHead =
      typeof chain === 'string' && Number.isSafeInteger(number) && typeof hash === 'string'
    return isHead ? { chain, number: number as number, hash } : undefined
  } catch {
    return undefined
  }
}
