import { batchBytesMax, batchErrorsFoundMax, batchErrorsMax } from '../limits.ts'
import type { Operation } from '../operation.ts'
import { described } from '../record.ts'
import { BatchResult, FeedList, FeedState } from '../records/intake.ts'
import { BatchNumber, FeedName } from '../scalars.ts'
import { Type } from '../type.ts'
import { plain } from './shared-parameters.ts'

const common = {
  ...plain,
  base: 'intake',
  tag: 'intake',
  protection: 'clientToken',
  scope: 'data.write',
} as const

const feeds = '/v1/feeds'
const feed = described(FeedName, 'The name of the feed, chosen by the sender.')

export const putBatch = {
  ...common,
  ref: 'F1',
  method: 'PUT',
  path: `${feeds}/{feed}/batches/{number}`,
  summary: 'Send a batch of a feed',
  description: `Commits all lines in one transaction, together with the number of the batch, or changes nothing. A batch that is sent again with the same lines gets the stored answer. What a line refers to must exist before that line. Lines of products also need the scope \`products.write\`. A feed belongs to the API client that sent its first batch. At most ${batchErrorsMax} errors of invalid lines are returned. After ${batchErrorsFoundMax} errors, the batch is not read further.`,
  params: Type.Object({
    feed,
    number: described(
      BatchNumber,
      'The number of the batch: 1 for the first batch of a feed, then the next number.',
    ),
  }),
  lines: `The lines that \`holdfast load\` reads, one JSON object per line: at most ${batchBytesMax} bytes before compression. \`Content-Encoding: gzip\` is accepted.`,
  response: BatchResult,
  errors: [
    'invalid_request',
    'product_scope_missing',
    'feed_of_other_client',
    'batch_conflict',
    'invalid_lines',
  ],
} as const satisfies Operation

export const listFeeds = {
  ...common,
  ref: 'F2',
  method: 'GET',
  path: feeds,
  summary: 'List the feeds',
  description: 'Returns the last batch of every feed.',
  response: FeedList,
} as const satisfies Operation

export const getFeed = {
  ...common,
  ref: 'F3',
  method: 'GET',
  path: `${feeds}/{feed}`,
  summary: 'Get a feed',
  description:
    'Returns the last batch of a feed. A feed exists once its first batch is committed, or its follower has started.',
  params: Type.Object({ feed }),
  response: FeedState,
  errors: ['invalid_request', 'feed_not_found'],
} as const satisfies Operation
