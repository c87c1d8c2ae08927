import type { Engine } from '../engine.ts'

export function sqliteEngine(path: string): Engine {
  return {
    async createDatabase() {
      const { createDatabase } = await import('./driver/open.ts')
      createDatabase(path)
    },
    async replaceReplayFile() {
      const { replaceReplayFile } = await import('./replay/replay-file.ts')
      replaceReplayFile(path)
    },
    async findLooseFiles() {
      const { filterLoose, replayPath, withCompanions } = await import('./driver/files.ts')
      return filterLoose([path, replayPath(path)].flatMap(withCompanions))
    },
    async openFileWatch(role, onChange) {
      const { openSqliteFileWatch } = await import('./driver/file-watch.ts')
      return openSqliteFileWatch(path, role, onChange)
    },
    async openDatabaseProbe(use) {
      const { openSqliteProbe } = await import('./driver/probe.ts')
      return openSqliteProbe(path, use)
    },
    async openProviderStore() {
      const { openSqliteProviderStore } = await import('./reads/provider-store.ts')
      return openSqliteProviderStore(path)
    },
    async openProviderWriter(writing) {
      const { openSqliteProviderWriter } = await import('./loads/provider-writer.ts')
      return openSqliteProviderWriter(path, writing)
    },
    async openFeedWriter(writing) {
      const { openSqliteFeedWriter } = await import('./feeds/feed-writer.ts')
      return openSqliteFeedWriter(path, writing)
    },
    async *dumpProvider() {
      const { dumpSqlite } = await import('./reads/dump.ts')
      yield* dumpSqlite(path)
    },
    async openReplayStore(clock, options) {
      const { pairReplayFile } = await import('./replay/replay-file.ts')
      const { openSqliteReplayStore } = await import('./replay/replay-store.ts')
      const replayFile = pairReplayFile(path)
      const store = openSqliteReplayStore(replayFile.path, clock, options)
      return {
        ...store,
        async close() {
          replayFile.close()
          await store.close()
        },
      }
    },
    async openSql() {
      const { openSqliteSql } = await import('./driver/sql.ts')
      return openSqliteSql(path)
    },
  }
}
