import type { Correction } from '../../disclosures/correction.ts'
import { findCorrections } from '../../disclosures/find-corrections.ts'
import type { Terminal } from '../../server/terminal.ts'
import { prepareDatabase, useStore } from '../common/database.ts'
import { readCommandSettings } from '../common/setting-flags.ts'
import { type CorrectionFlags, readCorrectionFlags } from '../records/correction-flags.ts'

/** Writes the corrections of a database to standard output. */
export async function writeCorrections(flags: CorrectionFlags, terminal: Terminal): Promise<void> {
  const settings = readCommandSettings('provider', flags, terminal)
  const query = readCorrectionFlags(flags, settings.timeZone)
  await prepareDatabase(settings, false, terminal)
  await useStore('openConsentStore', settings, async ({ corrections }) => {
    for await (const page of findCorrections(corrections, query)) {
      await terminal.write(page.map((each) => `${formatCorrection(each)}\n`).join(''))
    }
  })
}

/** A correction as a line of a file, for the platform. */
function formatCorrection({ number: _, ...correction }: Correction): string {
  const { time, timeBefore, timeAfter, ...rest } = correction
  return JSON.stringify({
    time: time.toString(),
    ...rest,
    timeBefore: timeBefore?.toString(),
    timeAfter: timeAfter?.toString(),
  })
}
