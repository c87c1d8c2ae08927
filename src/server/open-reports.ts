import type { ReportState } from '../contract/index.ts'
import type { ConsentStore } from '../platform/consent/store.ts'
import type { Usage } from './open-usage.ts'
import type { Settings } from './settings/settings.ts'

/** Reports to the regulator. Their code is loaded with the first request. */
export function createReports(
  { timeZone = 'UTC', brandName = '', brandId, recordYears = 0 }: Partial<Settings>,
  { store: usage }: Pick<Usage, 'store'>,
  { disclosureRecords: store }: Pick<ConsentStore, 'disclosureRecords'>,
  clock: () => Temporal.Instant,
) {
  let opened: ReturnType<typeof open> | undefined
  const open = async () => {
    const { openBackgroundReports } = await import('../platform/reports/background-reports.ts')
    const brand = { name: brandName, ...(brandId !== undefined && { id: brandId }) }
    return openBackgroundReports({ store, usage, clock, timeZone, brand, recordYears })
  }
  return {
    async read(period: string): Promise<ReportState> {
      opened ??= open()
      return (await opened).read(period)
    },
    close: async (): Promise<void> => (await opened)?.close(),
  }
}
