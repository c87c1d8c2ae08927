import type { Static } from 'typebox'
import { described, record } from '../record.ts'
import { Count, Text, Timestamp } from '../scalars.ts'
import { Type } from '../type.ts'
import { FeedState } from './intake.ts'

export const serverStates = ['ok', 'degraded', 'unavailable', 'undetermined'] as const

export type ServerStatus = Static<typeof ServerStatus>
export const ServerStatus = record(
  'ServerStatus',
  {
    role: described(Type.Enum(['platform', 'provider']), 'What the server does.'),
    status: described(
      Type.Enum([...serverStates]),
      'Whether all requests can succeed (ok), most of them (degraded) or none (unavailable); undetermined if it is not known.',
    ),
    reasons: described(Type.Array(Text), 'Why it is not ok. Empty if it is.'),
  },
  {
    version: described(Text, 'The version of Holdfast, if it is known.'),
    url: described(Text, 'The public base URL, if the platform knows it.'),
    started: described(Timestamp, 'When the process that responds was started.'),
  },
  { description: 'A server and its health.' },
)

export const countNames = ['products', 'drafts', 'activeConsents', 'customers', 'accounts'] as const

export type UnavailableCount = Static<typeof UnavailableCount>
export const UnavailableCount = record(
  'UnavailableCount',
  {
    name: described(Type.Enum([...countNames]), 'The field of the counts that is absent.'),
    reason: described(
      Type.Enum(['denied', 'pending', 'failed']),
      'The database role of the platform may not count them (denied), they are still being counted (pending), or the database could not count them in time (failed).',
    ),
  },
  {},
  { description: 'A count that is not available.' },
)

export type StatusCounts = Static<typeof StatusCounts>
export const StatusCounts = record(
  'StatusCounts',
  {
    unavailable: described(Type.Array(UnavailableCount), 'The counts that are absent, and why.'),
  },
  {
    products: described(Count, 'Published products, including retired ones.'),
    drafts: described(Count, 'Drafts of products.'),
    activeConsents: described(Count, 'Consents with which data is shared now.'),
    customers: described(Count, 'Customers in the database.'),
    accounts: described(Count, 'Accounts in the database.'),
  },
  {
    description:
      'How much the database contains. A count that takes long is reused for longer: in a large database it may be some minutes old.',
  },
)

export type LastLoad = Static<typeof LastLoad>
export const LastLoad = record(
  'LastLoad',
  {
    committed: described(Timestamp, 'When it was committed.'),
    created: described(Count, 'Lines that created a record.'),
    changed: described(Count, 'Lines that changed a record.'),
    unchanged: described(Count, 'Lines that changed nothing.'),
    deleted: described(Count, 'Lines that deleted a record.'),
  },
  {},
  { description: 'The last `holdfast load` that was committed.' },
)

export type PlatformStatus = Static<typeof PlatformStatus>
export const PlatformStatus = record(
  'PlatformStatus',
  {
    time: described(Timestamp, 'When the status was determined: at most some seconds ago.'),
    servers: described(Type.Array(ServerStatus), 'The platform, and the provider of its settings.'),
    database: described(Type.Enum(['sqlite', 'postgres']), 'What the database is.'),
    counts: StatusCounts,
    feeds: described(Type.Array(FeedState), 'The feeds with their last batches, sorted by name.'),
  },
  { lastLoad: LastLoad },
  { description: 'What runs, whether it is healthy, and how much data there is.' },
)
