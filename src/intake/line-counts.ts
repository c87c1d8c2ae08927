import type { RecordType } from '../contract/index.ts'

/** What a line did to its record. Deleting a record that does not exist leaves it unchanged. */
export const lineOutcomes = ['created', 'changed', 'unchanged', 'deleted'] as const
export type LineOutcome = (typeof lineOutcomes)[number]

export type Counts = Readonly<Record<LineOutcome, number>>

/**
 * The committed lines by type and outcome. Each line counts once, compared with the state that the lines before it left:
 * a line that creates a record and another that replaces it are one created and one changed. Records that are deleted
 * with their account or customer do not count.
 */
export type LineCounts = ReadonlyMap<RecordType, Counts>

export type LineCounter = ReturnType<typeof openLineCounter>

/** Counts lines until they are committed or discarded. */
export function openLineCounter() {
  let counts = new Map<RecordType, Record<LineOutcome, number>>()
  return {
    add(type: RecordType, outcome: LineOutcome, lines = 1): void {
      counts.getOrInsertComputed(type, emptyCounts)[outcome] += lines
    },
    addAll(counted: Iterable<readonly [RecordType, Counts]>): void {
      for (const [type, each] of counted) {
        for (const outcome of lineOutcomes) this.add(type, outcome, each[outcome])
      }
    },
    /** The counts since the last call. */
    take(): LineCounts {
      const taken = counts
      counts = new Map()
      return taken
    },
  }
}

export function emptyCounts(): Record<LineOutcome, number> {
  return { created: 0, changed: 0, unchanged: 0, deleted: 0 }
}

export function totalCounts(counts: Iterable<Counts>): Counts {
  const total = emptyCounts()
  for (const each of counts) {
    for (const outcome of lineOutcomes) total[outcome] += each[outcome]
  }
  return total
}
