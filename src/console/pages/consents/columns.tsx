import type { Consent } from '../../../contract/index.ts'
import { StateBadge } from '../../components/badge.tsx'
import type { Column } from '../../components/table.tsx'
import { Ago } from '../../components/time.tsx'
import { statuses } from './labels.ts'

/** Columns of lists of consents. */
export const statusColumn: Column<Consent> = {
  title: 'Status',
  phone: 'first',
  cell: ({ status }) => <StateBadge label={statuses[status]} />,
}

export const accountsColumn: Column<Consent> = {
  title: 'Accounts',
  isNumber: true,
  cell: ({ accountIds }) => accountIds.length,
}

export const changeColumn: Column<Consent> = {
  title: 'Last change',
  isNumber: true,
  cell: ({ updated }) => <Ago time={updated} />,
}

export function consentUrl(consentId: string): string {
  return `/console/consents/${encodeURIComponent(consentId)}`
}

/** Without a name, if the registration was removed. */
export function ThirdPartyName({ thirdParty }: Pick<Consent, 'thirdParty'>) {
  return <bdi>{thirdParty.name ?? 'Removed'}</bdi>
}
