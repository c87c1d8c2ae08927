import type { Logger } from 'pino'
import { type PlannedOutage, readOutages } from '../contract/cds/outages.ts'
import { formatProblem } from '../contract/index.ts'
import { decodeUtf8, parseJson } from '../contract/parse-json.ts'
import { fileError, readSettingFile } from './setting-file.ts'

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
  const value = parseJson(decodeUtf8(readSettingFile('outagesFile', file, fileBytesMax)))
  if (value === undefined) throw fileError('outagesFile', `${file} is not valid JSON`)
  const result = readOutages(value)
  if ('outages' in result) return result.outages
  const problems = result.faults.map((fault) => `${file}: ${formatProblem(fault)}`)
  throw fileError('outagesFile', ...problems)
}
