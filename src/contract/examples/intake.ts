import { errorTable } from '../errors.ts'
import type {
  BatchConflictBody,
  BatchResult,
  FeedState,
  InvalidLinesBody,
} from '../records/intake.ts'
import { bankingBalance } from './banking.ts'
import { customer } from './customers.ts'

export const batchResult: BatchResult = {
  feed: 'core',
  batch: 7,
  lines: 2,
  created: 0,
  changed: 2,
  unchanged: 0,
  deleted: 0,
}

export const feedState: FeedState = {
  feed: 'core',
  batch: 7,
  time: '2026-11-16T03:20:15.120Z',
  lines: 1204,
  usualSeconds: 30,
  isLate: false,
}

export const batchConflictBody: BatchConflictBody = {
  error: errorTable.batch_conflict.example,
  expected: 7,
}

export const invalidLinesBody: InvalidLinesBody = {
  error: errorTable.invalid_lines.example,
  errors: [{ line: 2, field: 'currentBalance', reason: 'must be a decimal string' }],
}

/** The body of a batch. */
export const batchLines = [
  { type: 'customer', record: customer },
  { type: 'banking.balance', record: bankingBalance },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('')
