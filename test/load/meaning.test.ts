import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { type LineCounts, lineOutcomes } from '../../src/intake/line-counts.ts'
import type { LineError } from '../../src/intake/writer.ts'
import { openFeedWriter, openProviderStore } from '../../src/storage/open.ts'
import { listCorrections } from '../support/corrections.ts'
import { currentEngine, describe, newDatabase, type Scope, withScope } from '../support/engines.ts'
import { createBatch } from '../support/feed.ts'
import { dumpDatabase } from '../support/load.ts'
import { applyLoad, type LoadOptions } from '../support/load-model.ts'
import { emptyState, type State } from '../support/load-state.ts'
import { propertyRuns } from '../support/properties.ts'
import { loadAt, splitLines } from './bank.ts'
import { put } from './lines.ts'
import { baseLines, randomLines } from './random-lines.ts'
import { expectServed, readServed } from './served.ts'

/** How lines reach the database: in a load, or in batches of a feed or a follower. */
interface Way extends LoadOptions {
  readonly feedBatch?: number
}

const ways = fc.constantFrom<Way>(
  {},
  {},
  { skipInvalid: true },
  { batch: 1 },
  { batch: 4 },
  { batch: 3, skipInvalid: true },
  { feedBatch: 4 },
  { feedBatch: 100 },
  { feedBatch: 1, storesUnresolved: true },
  { feedBatch: 5, storesUnresolved: true },
)
const loads = fc.array(fc.record({ lines: randomLines, hasBaseLines: fc.boolean(), way: ways }), {
  minLength: 1,
  maxLength: 4,
})

/** What was invisible becomes visible with these. */
const allOwners = [
  ...['c1', 'c2', 'c3'].map((id) => put.customer(id)),
  ...['x1', 'x2', 'x3'].flatMap((id) => [put.account(id, ['c1']), put.energyAccount(id, ['c1'])]),
]

/** A load costs ten times as much on PostgreSQL. */
const runs = { sqlite: 20, postgres: 3 }

describe('lines', () => {
  it('mean the same however they are loaded, and twice as once', async () => {
    let [valid, total] = [0, 0]
    const property = fc.asyncProperty(loads, async (loads) =>
      withScope(async (scope) => {
        const database = await openDatabase(scope)
        let state = emptyState()
        for (const { lines, hasBaseLines, way } of loads) {
          const all = [...(hasBaseLines ? baseLines : []), ...lines]
          const first = await database.load(state, all, way)
          const served = await database.read()
          assert.deepEqual(served, expectServed(first.state))

          const second = await database.load(first.state, all, way)
          const servedAgain = await database.read()
          assert.deepEqual(servedAgain, expectServed(second.state))
          if (first.isValid && second.isValid) assert.deepEqual(servedAgain, served)
          state = second.state
          total += 1
          if (first.isValid) valid += 1
        }

        const restored = await openDatabase(scope)
        const dump = await database.dump()
        await restored.load(emptyState(), splitLines(dump), { isRestore: true })
        assert.equal(await restored.dump(), dump)

        for (const each of [database, restored]) {
          const { state: after } = await each.load(state, allOwners, { skipInvalid: true })
          assert.deepEqual(await each.read(), expectServed(after))
        }
      }),
    )
    await fc.assert(property, propertyRuns(runs[currentEngine()]))
    assert.ok(valid > total / 3, `only ${valid} of ${total} loads were valid`)
  })
})

async function openDatabase(scope: Scope) {
  const database = await newDatabase(scope)
  const store = await openProviderStore(database)
  scope.after(() => store.close())
  let now = Temporal.Instant.from('2026-01-01T00:00:00Z')
  /** Those that the model expects. */
  const corrections: string[] = []

  const loadOnce = async (before: State, lines: readonly string[], way: Way) => {
    const pieces = lines.map((each) => Buffer.from(`${each}\n`))
    const { errors: all, counts } = await loadAt(database, now, pieces, way)
    const expected = applyLoad(before, lines, now, way)
    const errors = all.filter(({ isStored }) => !isStored).map(formatError)
    assert.deepEqual(errors, expected.errors)
    const unresolved = all.filter(({ isStored }) => isStored).map(formatError)
    assert.deepEqual(unresolved, expected.unresolved)
    assert.deepEqual(formatCounts(counts), countOutcomes(expected.outcomes))
    corrections.push(...expected.corrections)
    return { state: expected.state, isValid: errors.length === 0 }
  }

  const feed = async (before: State, lines: readonly string[], way: Way) => {
    const { feedBatch = 1, storesUnresolved = false } = way
    const writer = await openFeedWriter(database, { clock: () => now, storesUnresolved })
    let state = before
    let isValid = true
    try {
      for (let start = 0; start < lines.length; start += feedBatch) {
        const batch = lines.slice(start, start + feedBatch)
        const [outcome] = await writer.commit([{ ...createBatch('', 1, batch), feed: undefined }])
        const expected = applyLoad(state, batch, now, { storesUnresolved })
        assert.ok(outcome && !('conflict' in outcome))
        const errors = 'errors' in outcome ? outcome.errors : []
        assert.deepEqual(errors.toSorted(byLine).map(formatError), expected.errors.sort(byNumber))
        const unresolved = 'result' in outcome ? (outcome.unresolved ?? []) : []
        if (errors.length === 0) {
          assert.deepEqual(unresolved.map(formatError), expected.unresolved)
        }
        for (const each of 'result' in outcome ? lineOutcomes : []) {
          const counted = expected.outcomes.filter(([, outcome]) => outcome === each).length
          assert.equal('result' in outcome && outcome.result[each], counted, each)
        }
        isValid &&= errors.length === 0
        corrections.push(...expected.corrections)
        state = expected.state
      }
    } finally {
      await writer.close()
    }
    return { state, isValid }
  }

  return {
    read: () => readServed(store),
    dump: () => dumpDatabase(database),
    /** Loads lines into the database and into the model, and compares what both report. */
    async load(before: State, lines: readonly string[], way: Way & { isRestore?: true }) {
      now = now.add({ hours: 1 })
      if (way.isRestore) {
        const pieces = lines.map((each) => Buffer.from(`${each}\n`))
        assert.deepEqual((await loadAt(database, now, pieces)).errors, [])
        return { state: before, isValid: true }
      }
      const result = await (way.feedBatch === undefined ? loadOnce : feed)(before, lines, way)
      assert.deepEqual(await listCorrections(database), corrections.toSorted())
      return result
    },
  }
}

function formatError({ line, path, reason }: LineError): string {
  return `${line} ${path} ${reason}`
}

function byLine(a: LineError, b: LineError): number {
  return a.line - b.line
}

function byNumber(a: string, b: string): number {
  return Number.parseInt(a, 10) - Number.parseInt(b, 10)
}

function countOutcomes(outcomes: readonly (readonly [string, string])[]): string[] {
  const byType = Map.groupBy(outcomes, ([type]) => type)
  return Array.from(byType, ([type, all]) => {
    const counts = lineOutcomes.map((each) => all.filter(([, outcome]) => outcome === each).length)
    return `${type} ${counts}`
  }).sort()
}

function formatCounts(counts: LineCounts): string[] {
  return Array.from(
    counts,
    ([type, all]) => `${type} ${lineOutcomes.map((each) => all[each])}`,
  ).sort()
}
