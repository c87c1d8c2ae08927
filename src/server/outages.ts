import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import { type PlannedOutage, readOutages } from '../contract/cds/outages.ts'
import { formatProblem } from '../contract/index.ts'
import { decodeUtf8, parseJson } from '../contract/parse-json.ts'
import { flagName } from './settings/settings.ts'
import { CommandError } from './terminal.ts'

const fileBytesMax = 256 * 1024

export interface Outages {
  list(): readonly PlannedOutage[]
  /** Reads the file again. If it is invalid, nothing changes. */
  reload(log: Logger): void
}

/** The planned outages, which are none without a file. Throws if the file is missing or invalid. */
export function openOutages(file: string | undefined): Outages {
  let outages = file === undefined ? [] : readOutagesFile(file)
  return {
    list: () => outages,

    reload(log) {
      if (file === undefined) return
      try {
        outages = readOutagesFile(file)
        log.info({ outages: outages.length }, 'planned outages reloaded')
      } catch (error) {
        log.error(
          { reason: (error as Error).message },
          'planned outages not reloaded: the previous ones stay in use',
        )
      }
    },
  }
}

function readOutagesFile(file: string): readonly PlannedOutage[] {
  const result = readOutages(parseFile(file))
  if ('outages' in result) return result.outages
  throw fail(...result.faults.map((fault) => `${file}: ${formatProblem(fault)}`))
}

function parseFile(file: string): unknown {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw fail(`cannot read ${file} (${(error as NodeJS.ErrnoException).code})`)
  }
  if (bytes.length > fileBytesMax) throw fail(`${file} is larger than ${fileBytesMax} bytes`)
  const value = parseJson(decodeUtf8(bytes))
  if (value === undefined) throw fail(`${file} is not valid JSON`)
  return value
}

/** One line for each sentence. */
function fail(...sentences: readonly string[]): CommandError {
  const lines = sentences.map((sentence) => `${flagName('outagesFile')}: ${sentence}`)
  return new CommandError(1, lines.join('\n'))
}
