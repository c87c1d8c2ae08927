import type { Static } from 'typebox'
import { described, record } from '../record.ts'
import { BatchNumber, Count, Decimal, FeedName, Flag, Text, Timestamp } from '../scalars.ts'
import { Type } from '../type.ts'

const feed = described(FeedName, 'The name of the feed.')

export type BatchResult = Static<typeof BatchResult>
export const BatchResult = record('BatchResult', {
  description:
    'What the lines of a committed batch did. The batch is durable and visible to every reader.',
  required: {
    feed,
    batch: described(BatchNumber, 'The number of the batch.'),
    lines: described(Count, 'The number of lines, without blank lines.'),
    created: described(Count, 'Lines that created a record.'),
    changed: described(Count, 'Lines that changed a record.'),
    unchanged: described(
      Count,
      'Lines that equal the stored record, or delete one that does not exist.',
    ),
    deleted: described(Count, 'Lines that deleted a record.'),
  },
})

export type FeedState = Static<typeof FeedState>
export const FeedState = record('FeedState', {
  description: 'The state of a feed.',
  required: {
    feed,
    batch: described(
      Count,
      'The number of the last batch. The next batch has the next number. 0 if a follower has not committed a line yet.',
    ),
    time: described(Timestamp, 'When the last batch was committed, or when the follower started.'),
    lines: described(Count, 'The number of lines of all batches.'),
  },
  optional: {
    usualSeconds: described(
      Decimal,
      'How long after a batch the next one usually follows: a mean of the last intervals, to which a long pause contributes only in part. Absent before the fifth batch.',
    ),
    isLate: described(
      Flag,
      'Whether the time since the last batch is more than twice as long, and 5 minutes more. Absent without a usual time.',
    ),
  },
})

export type FeedList = Static<typeof FeedList>
export const FeedList = record('FeedList', {
  description: 'All feeds.',
  required: { data: described(Type.Array(FeedState), 'The feeds, sorted by name.') },
})

const error = described(Text, 'What is wrong, in one sentence or more.')

export type BatchConflictBody = Static<typeof BatchConflictBody>
export const BatchConflictBody = record('BatchConflictBody', {
  description: 'The error of a batch whose number cannot be committed.',
  required: { error, expected: described(BatchNumber, 'The number of the next batch.') },
})

export type InvalidLine = Static<typeof InvalidLine>
export const InvalidLine = record('InvalidLine', {
  description: 'An error of a line.',
  required: {
    line: described(Count, 'The number of the line, from 1. Blank lines count.'),
    field: described(Text, 'The path of the field. Empty if the error is about the whole line.'),
    reason: described(Text, 'What is wrong with the field. It never contains the value.'),
  },
})

export type InvalidLinesBody = Static<typeof InvalidLinesBody>
export const InvalidLinesBody = record('InvalidLinesBody', {
  description: 'The errors of a batch with invalid lines. Nothing was changed.',
  required: {
    error,
    errors: described(Type.Array(InvalidLine), 'The first errors, in the order of the lines.'),
  },
})
