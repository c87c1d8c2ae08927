import type { Static } from 'typebox'
import { described, record } from '../record.ts'
import { Count, Text, Timestamp } from '../scalars.ts'
import { Type } from '../type.ts'
import { FeedState } from './intake.ts'
import { monitoredRoles } from './monitoring.ts'

const serverStates = ['ok', 'degraded', 'unavailable', 'undetermined'] as const

export type ServerStatus = Static<typeof ServerStatus>
export const ServerStatus = record('ServerStatus', {
  description: 'A server and its health.',
  required: {
    role: described(Type.Enum([...monitoredRoles]), 'What the server does.'),
    status: described(
      Type.Enum([...serverStates]),
      'Whether all requests can succeed (ok), most of them (degraded) or none (unavailable); undetermined if it is not known.',
    ),
    reasons: described(Type.Array(Text), 'Why it is not ok. Empty if it is.'),
  },
  optional: {
    version: described(Text, 'The version of Holdfast, if it is known.'),
    url: described(Text, 'The public base URL, if the platform knows it.'),
    started: described(Timestamp, 'When the process that responds was started.'),
    since: described(
      Timestamp,
      'When the process that responds first found the server in this state. Absent if it is ok.',
    ),
  },
})

export const countNames = ['products', 'drafts', 'activeConsents', 'customers', 'accounts'] as const

export type UnavailableCount = Static<typeof UnavailableCount>
export const UnavailableCount = record('UnavailableCount', {
  description: 'A count that is not available.',
  required: {
    name: described(Type.Enum([...countNames]), 'The field of the counts that is absent.'),
    reason: described(
      Type.Enum(['denied', 'pending', 'failed']),
      'The database role of the platform may not count them (denied), they are still being counted (pending), or the database could not count them in time (failed).',
    ),
  },
})

export type StatusCounts = Static<typeof StatusCounts>
export const StatusCounts = record('StatusCounts', {
  description:
    'How much the database contains. A count that takes long is reused for longer: in a large database it may be some minutes old.',
  required: {
    unavailable: described(Type.Array(UnavailableCount), 'The counts that are absent, and why.'),
  },
  optional: {
    products: described(Count, 'Published products, including retired ones.'),
    drafts: described(Count, 'Drafts of products.'),
    activeConsents: described(Count, 'Consents with which data is shared now.'),
    customers: described(Count, 'Customers in the database.'),
    accounts: described(Count, 'Accounts in the database.'),
  },
})

export type LastLoad = Static<typeof LastLoad>
export const LastLoad = record('LastLoad', {
  description: 'The last `holdfast load` that was committed.',
  required: {
    committed: described(Timestamp, 'When it was committed.'),
    created: described(Count, 'Lines that created a record.'),
    changed: described(Count, 'Lines that changed a record.'),
    unchanged: described(Count, 'Lines that changed nothing.'),
    deleted: described(Count, 'Lines that deleted a record.'),
  },
})

export type PlatformStatus = Static<typeof PlatformStatus>
export const PlatformStatus = record('PlatformStatus', {
  description: 'What runs, whether it is healthy, and how much data there is.',
  required: {
    time: described(Timestamp, 'When the status was determined: at most some seconds ago.'),
    servers: described(
      Type.Array(ServerStatus),
      'The platform, and the provider and the intake of its settings. An intake that no setting names is undetermined if clients send feeds.',
    ),
    database: described(Type.Enum(['sqlite', 'postgres']), 'What the database is.'),
    counts: StatusCounts,
    feeds: described(Type.Array(FeedState), 'The feeds with their last batches, sorted by name.'),
  },
  optional: { lastLoad: LastLoad },
})
