import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import fc from 'fast-check'
import type { BatchOutcome, FeedWriter } from '../../src/intake/feed-writer.ts'
import { createDatabase, openFeedWriter } from '../../src/storage/open.ts'
import { baseLines, randomLines } from '../load/random-lines.ts'
import { deleteAllData, describeOnLayouts, newDatabase } from '../support/engines.ts'
import { createBatch } from '../support/feed.ts'
import { temporaryFolder } from '../support/folder.ts'
import { dumpDatabase } from '../support/load.ts'
import { propertyRuns } from '../support/properties.ts'

/**
 * Commits of up to three batches of different feeds. Only the first has products: the last line of a commit for a
 * product decides, and on SQLite the last line of each batch.
 */
const commits = fc.array(
  fc
    .array(randomLines, { minLength: 1, maxLength: 3 })
    .map(([first = [], ...others]) => [
      first,
      ...others.map((lines) => lines.filter((line) => !line.startsWith('{"type":"product"'))),
    ]),
  { maxLength: 6 },
)

describeOnLayouts('a feed writer', () => {
  it('has the same outcomes and the same dump as on SQLite', async (t) => {
    const postgres = await newDatabase(t)
    const folder = await temporaryFolder(t)
    let now = Temporal.Instant.from('2026-01-01T00:00:00Z')
    const clock = () => now
    const first = await openFeedWriter(postgres, { clock })
    t.after(() => first.close())
    let runs = 0
    let accepted = 0
    let total = 0

    await fc.assert(
      fc.asyncProperty(commits, async (commits) => {
        runs += 1
        const sqlite = `sqlite:${join(folder, `${runs}.db`)}`
        await createDatabase(sqlite)
        await deleteAllData(postgres)
        const second = await openFeedWriter(sqlite, { clock })
        try {
          const numbers = new Map<string, number>()
          const nextBatch = (lines: readonly string[], feed: string) =>
            createBatch(feed, (numbers.get(feed) ?? 0) + 1, lines)
          for (const batches of [[baseLines], ...commits]) {
            now = now.add({ hours: 1 })
            const sent = batches.map((lines, index) => nextBatch(lines, `feed-${index}`))
            const outcomes = await commitOnBoth([first, second], sent)
            for (const [index, outcome] of outcomes.entries()) {
              const { feed = '', number = 0 } = sent[index] ?? {}
              total += 1
              if (!('result' in outcome)) continue
              numbers.set(feed, number)
              accepted += 1
            }
            assert.equal(await dumpDatabase(postgres), await dumpDatabase(sqlite))
          }
        } finally {
          await second.close()
        }
      }),
      propertyRuns(5),
    )
    assert.ok(accepted > total / 3, `only ${accepted} of ${total} batches were accepted`)
  })
})

async function commitOnBoth(
  [first, second]: readonly [FeedWriter, FeedWriter],
  batches: readonly ReturnType<typeof createBatch>[],
): Promise<BatchOutcome[]> {
  const outcomes = await first.commit(batches)
  const expected = await second.commit(batches)
  assert.deepEqual(outcomes.map(sortErrors), expected.map(sortErrors))
  return outcomes
}

function sortErrors(outcome: BatchOutcome): BatchOutcome {
  if (!('errors' in outcome)) return outcome
  return { errors: outcome.errors.toSorted((a, b) => a.line - b.line) }
}
