import type { UsageHistory } from '../contract/index.ts'
import type { HistoryOptions, HistoryQuery } from '../platform/history/read-history.ts'
import { databaseOptions } from './database-options.ts'
import type { Usage } from './open-usage.ts'
import type { Settings } from './settings/settings.ts'

/** The history of calls. Its stores are opened with the first request. */
export function createHistory(
  settings: Pick<Settings, 'database'> & Partial<Settings>,
  { store: usage, ...counted }: Usage,
  sources: Pick<HistoryOptions, 'consents' | 'signingKeys' | 'clock'> &
    Partial<Pick<HistoryOptions, 'listOutages'>>,
) {
  const { timeZone = 'UTC' } = settings
  let opened: ReturnType<typeof open> | undefined
  const open = async () => {
    const { openMarkStore } = await import('../storage/open.ts')
    return openMarkStore(settings.database, databaseOptions(settings))
  }
  return {
    async read(query: HistoryQuery): Promise<UsageHistory> {
      const { readHistory } = await import('../platform/history/read-history.ts')
      opened ??= open().catch((error: unknown) => {
        // The next call tries again.
        opened = undefined
        throw error
      })
      const marks = await opened
      const { listOutages = () => [] } = sources
      return readHistory({ ...counted, ...sources, usage, marks, listOutages, timeZone }, query)
    },
    async close(): Promise<void> {
      await (await opened?.catch(() => undefined))?.close()
    },
  }
}
