import type { CorrectionNotice } from '../contract/index.ts'
import { formatCsvRow } from './csv.ts'

const columns = [
  ...['customerId', 'noticeDue', 'thirdPartyId', 'thirdPartyName', 'consentId', 'data', 'type'],
  ...['accountId', 'recordId', 'isDeleted', 'corrected', 'disclosures', 'firstDisclosed'],
  'lastDisclosed',
] as const

export const noticeCsvHeader = (): string => formatCsvRow(columns)

export function formatNoticeCsv({ thirdParty, ...notice }: CorrectionNotice): string {
  const { id: thirdPartyId, name: thirdPartyName } = thirdParty
  const row: Readonly<Record<string, string | number | boolean | undefined>> = {
    ...notice,
    thirdPartyId,
    thirdPartyName,
  }
  return formatCsvRow(columns.map((name) => row[name] ?? ''))
}
