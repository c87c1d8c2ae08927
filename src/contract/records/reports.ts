import type { Static } from 'typebox'
import { described, record } from '../record.ts'
import { Count, Flag, PlainDate, Text, Timestamp } from '../scalars.ts'
import { Type } from '../type.ts'

export type ReportedRefusal = Static<typeof ReportedRefusal>
export const ReportedRefusal = record('ReportedRefusal', {
  description: 'Requests that the data holder refused, with what it relied upon.',
  required: {
    data: described(Type.Enum(['consumer', 'product']), 'The data that was asked for.'),
    rule: described(Text, 'The rule of the Consumer Data Right.'),
    circumstance: described(Text, 'Why the data holder refused.'),
    count: described(Count, 'How many requests were refused.'),
  },
  optional: {
    standard: described(Text, 'The data standard that the rule refers to.'),
    code: described(Text, 'The error code of the Consumer Data Standards in the answer.'),
    limit: described(Text, 'The traffic limit that the requests were over.'),
  },
})

export type ReportedError = Static<typeof ReportedError>
export const ReportedError = record('ReportedError', {
  description: 'Requests that got an error and were not refused.',
  required: {
    error: described(Text, 'The error, as in the records.'),
    status: described(Count, 'The HTTP status.'),
    count: described(Count, 'How many requests got it.'),
  },
  optional: { code: described(Text, 'The error code of the Consumer Data Standards.') },
})

export type ReportedBrand = Static<typeof ReportedBrand>
export const ReportedBrand = record('ReportedBrand', {
  description: 'The numbers of one brand. A platform has one brand.',
  required: {
    name: described(Text, 'The name on the consent pages.'),
    consumerDataRequests: described(
      Count,
      'Requests with a valid access token for data of a customer, whatever the answer.',
    ),
    disclosed: described(Count, 'How many of them were answered with data.'),
    notSent: described(
      Count,
      'How many of them got a 503, because the record of the answer was stored too late.',
    ),
    refusals: Type.Array(ReportedRefusal),
    errors: Type.Array(ReportedError),
  },
  optional: {
    id: described(Text, 'The Data Holder Brand ID.'),
    productDataRequests: described(
      Count,
      'Calls of Get Products and Get Product Detail, whatever the answer, from the counts of calls by day. Absent if these are no longer kept: they are for two years.',
    ),
  },
})

export type ReportedRecords = Static<typeof ReportedRecords>
export const ReportedRecords = record('ReportedRecords', {
  description: 'The disclosure records that were counted.',
  required: {
    records: described(Count, 'How many there are in the period.'),
    blocks: described(Count, 'In how many blocks.'),
    chains: described(Count, 'In how many chains.'),
    digest: described(
      Text,
      'The SHA-256 of the last block of each chain in the period, as lines of chain, number and hash.',
    ),
  },
  optional: {
    fault: described(
      Text,
      'The first block that is not as it was written. Absent if each block has its hash and follows the one before it.',
    ),
  },
})

export type RegulatoryReport = Static<typeof RegulatoryReport>
export const RegulatoryReport = record('RegulatoryReport', {
  description: 'What a data holder reports to the regulator about half a year.',
  required: {
    period: described(Text, 'Such as `2026-H2`.'),
    firstDay: described(PlainDate, 'The first day of the period.'),
    lastDay: described(PlainDate, 'The last day of the period.'),
    timeZone: described(Text, 'The time zone in which these days begin and end.'),
    isFinished: described(
      Flag,
      'Whether the period ended at least a day ago. Until then, the numbers can grow.',
    ),
    brands: Type.Array(ReportedBrand),
    records: ReportedRecords,
  },
})

export type ReportState = Static<typeof ReportState>
export const ReportState = record('ReportState', {
  description: 'A report, or how far it has been made.',
  optional: {
    report: RegulatoryReport,
    countedTo: described(Timestamp, 'Records up to this time were counted. Repeat the request.'),
  },
})
