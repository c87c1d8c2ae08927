import type { Engine } from '../engine.ts'

export function postgresEngine(url: string): Engine {
  return {
    async createDatabase(options = {}) {
      const { createPostgresSchema } = await import('./driver/pool.ts')
      return createPostgresSchema(url, options)
    },
    async replaceReplayFile() {},
    async findLooseFiles() {
      return []
    },
    async openFileWatch() {
      return { isIntact: () => true, close() {} }
    },
    async openDatabaseProbe(use, options = {}) {
      const { openPostgresProbe } = await import('./driver/probe.ts')
      return openPostgresProbe(url, options, use)
    },
    async openProviderStore(options = {}) {
      const { openPostgresProviderStore } = await import('./reads/provider-store.ts')
      return openPostgresProviderStore(url, options)
    },
    async openProviderWriter(writing, options = {}) {
      const { openPostgresProviderWriter } = await import('./loads/provider-writer.ts')
      return openPostgresProviderWriter(url, writing, options)
    },
    async openFeedWriter(writing, options = {}) {
      const { openPostgresFeedWriter } = await import('./feeds/feed-writer.ts')
      return openPostgresFeedWriter(url, writing, options)
    },
    async *dumpProvider(options = {}) {
      const { dumpPostgres } = await import('./reads/dump.ts')
      yield* dumpPostgres(url, options)
    },
    async openReplayStore(clock, options = {}) {
      const { openPostgresReplayStore } = await import('./replay/replay-store.ts')
      return openPostgresReplayStore(url, clock, options)
    },
    async openSql(options = {}) {
      const { openPostgresSql } = await import('./driver/sql.ts')
      return openPostgresSql(url, options)
    },
  }
}
