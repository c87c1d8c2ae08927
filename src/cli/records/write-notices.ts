import { escapeInvisible } from '../../contract/characters.ts'
import type { CorrectionNotice } from '../../contract/index.ts'
import type { Block } from '../../disclosures/block.ts'
import type { Correction, CorrectionQuery } from '../../disclosures/correction.ts'
import { findCorrections } from '../../disclosures/find-corrections.ts'
import { formatNoticeCsv, noticeCsvHeader } from '../../disclosures/notice-csv.ts'
import { listNotices } from '../../platform/consent/correction-notices.ts'
import type { Terminal } from '../../server/terminal.ts'
import { prepareDatabase, useStore } from '../common/database.ts'
import { formatQuantity } from '../common/format-count.ts'
import { readCommandSettings } from '../common/setting-flags.ts'
import { type CorrectionFlags, readCorrectionFlags } from './correction-flags.ts'
import { readCorrections } from './read-corrections.ts'
import { refuseChanged } from './refuse-changed.ts'

const formats = {
  ndjson: (notice: CorrectionNotice) => `${JSON.stringify(notice)}\n`,
  csv: formatNoticeCsv,
  text: formatText,
}

export interface NoticeFlags extends CorrectionFlags {
  readonly thirdParty?: string
  readonly corrections?: string
  readonly format: keyof typeof formats
}

/** Writes the notices of corrections to standard output. */
export async function writeNotices(flags: NoticeFlags, terminal: Terminal): Promise<void> {
  const settings = readCommandSettings('platform', flags, terminal)
  const { thirdParty: thirdPartyId, corrections: file, format } = flags
  const { timeZone = 'UTC' } = settings
  const query = readCorrectionFlags(flags, timeZone)
  await prepareDatabase(settings, false, terminal)
  await useStore('openConsentStore', settings, async (store) => {
    const pages =
      file === undefined
        ? findCorrections(store.corrections, query)
        : selectCorrections(readCorrections(file), query)
    let isEmpty = true
    let changed: Block | undefined
    const onChanged = (block: Block): void => {
      changed ??= block
    }
    if (format === 'csv') await terminal.write(noticeCsvHeader())
    for await (const [, notices] of listNotices(store, pages, {
      timeZone,
      thirdPartyId,
      onChanged,
    })) {
      if (notices.length === 0) continue
      isEmpty = false
      await terminal.write(notices.map(formats[format]).join(''))
    }
    if (isEmpty) terminal.error('no third party can have received data that was corrected\n')
    refuseChanged(changed)
  })
}

async function* selectCorrections(
  pages: AsyncIterable<readonly Correction[]>,
  { from, to, customerId }: Omit<CorrectionQuery, 'limit'>,
): AsyncGenerator<readonly Correction[]> {
  const { compare } = Temporal.Instant
  const isSelected = (each: Correction): boolean =>
    (from === undefined || compare(each.time, from) >= 0) &&
    (to === undefined || compare(each.time, to) < 0) &&
    (customerId === undefined || each.customerId === customerId)
  for await (const page of pages) yield page.filter(isSelected)
}

function formatText(notice: CorrectionNotice): string {
  const { thirdParty, accountId, recordId, isDeleted, ...rest } = notice
  const { id, name = 'removed third party' } = thirdParty
  const correctedData = [
    rest.data,
    ...(recordId === undefined ? [] : [recordId]),
    ...(accountId === undefined ? [] : [`of account ${accountId}`]),
  ]
  const lines = [
    `Customer ${rest.customerId}: notice due on ${rest.noticeDue}`,
    `  data       ${correctedData.join(' ')}`,
    `  ${isDeleted ? 'removed  ' : 'corrected'}  ${rest.corrected}`,
    `  recipient  ${name} (${id}), consent ${rest.consentId}`,
    `  disclosed  ${formatQuantity(rest.disclosures, 'time')}, ${rest.firstDisclosed} to ${rest.lastDisclosed}`,
  ]
  return `${lines.map(escapeInvisible).join('\n')}\n\n`
}
