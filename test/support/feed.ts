import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { TestContext } from 'node:test'
import type {
  BatchKey,
  BatchOutcome,
  BatchResult,
  FeedBatch,
  FeedStore,
  FeedWriter,
  FeedWriterOptions,
} from '../../src/intake/feed-writer.ts'
import { readLine } from '../../src/intake/line.ts'
import type { LocatedItem } from '../../src/intake/writer.ts'
import { openFeedStore, openFeedWriter } from '../../src/storage/open.ts'
import { createScope, newDatabase, runSql, type Scope } from './engines.ts'
import { until } from './until.ts'

export interface Feeds {
  readonly database: string
  readonly writer: FeedWriter
  readonly store: FeedStore
  openWriter(options?: Partial<FeedWriterOptions>): Promise<FeedWriter>
  setClock(now: string): void
  /** Commits lines as the next batch of the feed `core`, and asserts that it is accepted. */
  add(...lines: readonly string[]): Promise<BatchResult>
  /** Commits lines as the next batch of the feed `core`, and asserts that it is rejected. Returns `LINE PATH REASON`. */
  reject(...lines: readonly string[]): Promise<string[]>
}

/** A new database with an open feed writer, which is closed with the scope. */
export async function openFeeds(t: Scope, database?: string): Promise<Feeds> {
  const scope = createScope(t)
  const address = database ?? (await newDatabase(scope))
  let now = Temporal.Instant.from('2025-07-01T00:00:00Z')

  const open = async (options: Partial<FeedWriterOptions> = {}) => {
    const writer = await openFeedWriter(address, { clock: () => now, ...options })
    scope.after(() => writer.close())
    return writer
  }
  const writer = await open()
  const store = await openFeedStore(address)
  scope.after(() => store.close())
  let number = 1
  const send = (lines: readonly string[]) => commitOne(writer, createBatch('core', number, lines))

  return {
    database: address,
    writer,
    store,
    openWriter: open,
    setClock(time) {
      now = Temporal.Instant.from(time)
    },
    async add(...lines) {
      const outcome = await send(lines)
      assert.ok('result' in outcome, JSON.stringify(outcome))
      number += 1
      return outcome.result
    },
    async reject(...lines) {
      const outcome = await send(lines)
      assert.ok('errors' in outcome, JSON.stringify(outcome))
      return outcome.errors.map(({ line, path, reason }) => `${line} ${path} ${reason}`)
    },
  }
}

export async function commitOne(writer: FeedWriter, batch: FeedBatch): Promise<BatchOutcome> {
  const [outcome] = await writer.commit([batch])
  assert.ok(outcome)
  return outcome
}

export function createBatch(
  feed: string,
  number: number,
  lines: readonly string[],
  position?: string,
): FeedBatch & BatchKey {
  return {
    feed,
    number,
    digest: createHash('sha256').update(lines.join('\n')).digest('base64url'),
    lines: lines.length,
    items: lines.map(toItem),
    ...(position !== undefined && { position }),
  }
}

/** More checks than close a connection that does not respond. */
const manyChecks = 8

/** Lets time pass, by the mocked timers of a test, until a writer on PostgreSQL has checked its connection many times. */
export async function passChecks(t: TestContext, database: string): Promise<void> {
  const times = new Set<string>()
  const check = `query like '%pg_stat_progress_copy%' and state = 'idle'`
  const sql = `select query_start::text from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and ${check}`
  await until(async () => {
    t.mock.timers.tick(1000)
    for (const [time] of await runSql(sql, database)) times.add(String(time))
    return times.size >= manyChecks
  })
}

function toItem(text: string, index: number): LocatedItem {
  const result = readLine(text)
  assert.ok('item' in result, text)
  return { ...result.item, file: 0, line: index + 1 }
}
