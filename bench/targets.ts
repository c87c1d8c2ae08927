import { fewConnections, manyConnections } from './compare.ts'
import { visibleRows } from './feeds.ts'
import { filters, unfiltered } from './filters.ts'
import { firstPage, lastPage } from './growth.ts'
import { addedByGuard, onGuard } from './guard.ts'
import { engineInsertion, loadRow } from './loading.ts'
import { answeredAtTwice, ofCapacity } from './overload.ts'
import { peakRows } from './peak.ts'
import { nameRecording, recordedPage } from './records.ts'
import { onLowerBound, onPostgres, onPracticalBound, onSqlite, pageRowName } from './requests.ts'
import { formatCount, type Row, type TargetResult } from './results.ts'
import { memoryRow, startRow } from './startup.ts'
import { algorithms } from './token-signer.ts'

interface Target {
  readonly about: string
  /** The name of the row. */
  readonly name: string
  /** The baseline of the ratio; without one, the target is the row's value. */
  readonly against?: string
  /** The server, if it is not that of the engine. */
  readonly on?: string
  /** The server records its answers, and the baseline is the same server without that. */
  readonly isRecording?: true
  readonly most: number
  readonly unit: '×' | 'ms' | 'MB'
}

const million = formatCount(1_000_000)

/** A missed target is reported and does not fail the run. */
const targets: readonly Target[] = [
  ...[fewConnections, manyConnections].flatMap((connections) =>
    algorithms.map((algorithm) => againstPractical(pageRowName(algorithm, connections))),
  ),
  againstPractical('B1'),
  againstPractical('B2'),
  againstPractical('E3'),
  againstPractical('B3 × 1000'),
  {
    about: 'public products, against lower bound',
    name: 'public products',
    against: onLowerBound,
    most: 1.8,
    unit: '×',
  },
  {
    about: `B3, last page of ${million} transactions, against the first`,
    name: `B3 of ${million}, ${lastPage}`,
    against: firstPage,
    most: 1.15,
    unit: '×',
  },
  ...Object.values(filters).map(
    (filter): Target => ({
      about: `B3 of ${million} transactions, ${filter}, against ${unfiltered}`,
      name: `B3 of ${million}, ${filter}`,
      against: unfiltered,
      most: 10,
      unit: '×',
    }),
  ),
  ...Object.values(peakRows).map((name): Target => ({ about: name, name, most: 50, unit: 'ms' })),
  {
    about: 'capacity, against requests answered at twice that rate',
    name: answeredAtTwice,
    against: ofCapacity,
    most: 1.2,
    unit: '×',
  },
  { about: `feeds: ${visibleRows.p99}`, name: visibleRows.p99, most: 100, unit: 'ms' },
  {
    about: `load, against ${engineInsertion}, time`,
    name: loadRow,
    against: engineInsertion,
    most: 2,
    unit: '×',
  },
  {
    about: `records of answers: ${recordedPage}, against without records`,
    name: recordedPage,
    isRecording: true,
    most: 1.08,
    unit: '×',
  },
  { about: `guard: ${addedByGuard}`, name: addedByGuard, on: onGuard, most: 5, unit: 'ms' },
  { about: startRow, name: startRow, most: 250, unit: 'ms' },
  { about: memoryRow, name: memoryRow, most: 100, unit: 'MB' },
]

function againstPractical(name: string): Target {
  return {
    about: `${name}, against ${onPracticalBound}`,
    name,
    against: onPracticalBound,
    most: 1.2,
    unit: '×',
  }
}

export function evaluateTargets(rows: readonly Row[]): TargetResult[] {
  return targets.map(({ about, name, on, isRecording, most, unit, ...target }) => ({
    about,
    most,
    unit,
    measured: (on ? [on] : [onSqlite, onPostgres]).map((server) => {
      const measuredOn = isRecording ? nameRecording(server) : server
      const against = isRecording ? server : target.against
      const row = rows.find((candidate) => candidate.name === name && candidate.on === measuredOn)
      const value = against === undefined ? row?.value?.amount : row?.ratios?.[against]
      const spread = against === undefined ? row?.valueSpread : row?.ratioSpreads?.[against]
      return value === undefined ? undefined : { value, ...(spread && { spread }) }
    }),
  }))
}
