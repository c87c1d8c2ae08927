import type { Static } from 'typebox'
import { flowStages } from '../consent-flows.ts'
import { described, record } from '../record.ts'
import { Count, Text, Timestamp } from '../scalars.ts'
import { Type } from '../type.ts'
import {
  listedThirdPartiesMax,
  markKinds,
  marksMax,
  type UsageDefinition,
  usageDefinitions,
  usageRangeNames,
} from '../usage-definitions.ts'
import { ConsentThirdParty } from './consents.ts'
import { LatencyPercentiles } from './monitoring.ts'

const counts = {
  calls: described(Count, usageDefinitions.calls),
  errors: described(Count, usageDefinitions.errors),
  clientErrors: described(Count, usageDefinitions.clientErrors),
  rejections: described(Count, usageDefinitions.rejections),
}
const latency = described(LatencyPercentiles, usageDefinitions.latency)
const peak = described(
  Count,
  `${usageDefinitions.peak} Absent if calls are selected by operation or third party.`,
)

export type UsagePoint = Static<typeof UsagePoint>
export const UsagePoint = record('UsagePoint', {
  description: 'The calls of a minute, an hour or a day.',
  required: { start: described(Timestamp, 'When it begins.'), ...counts },
  optional: { latency, peak },
})

export type UsageTotal = Static<typeof UsageTotal>
export const UsageTotal = record('UsageTotal', {
  description: 'The calls of the whole range.',
  required: { ...counts, sessions: described(Count, usageDefinitions.sessions) },
  optional: { latency, peak },
})

export type OperationUsage = Static<typeof OperationUsage>
export const OperationUsage = record('OperationUsage', {
  description: 'The calls of one operation.',
  required: { operation: described(Text, 'The name of the operation.'), ...counts },
  optional: { latency },
})

export type ThirdPartyUsage = Static<typeof ThirdPartyUsage>
export const ThirdPartyUsage = record('ThirdPartyUsage', {
  description: 'The calls of one third party.',
  required: counts,
  optional: {
    thirdParty: described(
      ConsentThirdParty,
      'Absent if the third party is unknown, as with an invalid token or without one.',
    ),
    latency,
  },
})

export type StatusUsage = Static<typeof StatusUsage>
export const StatusUsage = record('StatusUsage', {
  description: 'Calls with the same status.',
  required: {
    status: described(Count, 'The status; 499 if the client closed the connection first.'),
    calls: described(Count, 'How many calls.'),
  },
})

export type LimitUsage = Static<typeof LimitUsage>
export const LimitUsage = record('LimitUsage', {
  description: 'Calls over the same limit.',
  required: {
    limit: described(Text, 'The name of the limit, as in the log.'),
    calls: described(Count, 'How many calls.'),
  },
})

function describeValues(subject: string, values: readonly UsageDefinition[]): string {
  return `${subject} ${values.map((value) => `\`${value}\`: ${usageDefinitions[value]}`).join(' ')}`
}

export const flowEnds = ['exchanged', 'rejected', ...flowStages] as const

export type FlowEndUsage = Static<typeof FlowEndUsage>
export const FlowEndUsage = record('FlowEndUsage', {
  description: 'Consent flows that ended alike.',
  required: {
    end: described(Type.Enum([...flowEnds]), describeValues('How the flows ended.', flowEnds)),
    flows: described(Count, 'How many flows.'),
  },
})

export type FlowUsage = Static<typeof FlowUsage>
export const FlowUsage = record('FlowUsage', {
  description: usageDefinitions.consentFlows,
  required: {
    since: described(
      Timestamp,
      'Flows that began before are not counted: they are kept for some days.',
    ),
    ends: described(Type.Array(FlowEndUsage), 'Ends without flows are left out.'),
  },
})

export type UsageMark = Static<typeof UsageMark>
export const UsageMark = record('UsageMark', {
  description: 'What happened at a time, to explain a change of the numbers.',
  required: {
    kind: described(Type.Enum([...markKinds]), describeValues('What happened.', markKinds)),
    time: described(Timestamp, 'When it happened, or began.'),
    text: described(Text, 'A description without personal data.'),
  },
  optional: { end: described(Timestamp, 'When it ended, if it has a duration.') },
})

export type UsageHistory = Static<typeof UsageHistory>
export const UsageHistory = record('UsageHistory', {
  description:
    'The calls of third parties over time, of all processes of the platform. Processes write their counts every 30 seconds: those of other processes may lack as much.',
  required: {
    range: described(Type.Enum([...usageRangeNames]), 'The range of the request.'),
    unit: described(Type.Enum(['minute', 'hour', 'day']), 'What each point covers.'),
    start: described(Timestamp, 'When the first point begins.'),
    end: described(Timestamp, 'When the numbers were read. The last point is not complete.'),
    timeZone: described(Text, 'The time zone in which hours and days begin.'),
    points: described(Type.Array(UsagePoint), 'Every period of the range, oldest first.'),
    total: UsageTotal,
    statuses: described(Type.Array(StatusUsage), 'Errors by status, the most frequent first.'),
    limits: described(Type.Array(LimitUsage), 'Rejections by limit, the most frequent first.'),
    operations: described(Type.Array(OperationUsage), 'The most frequent first.'),
    thirdParties: described(
      Type.Array(ThirdPartyUsage),
      `The most frequent first, at most ${listedThirdPartiesMax}.`,
    ),
    consentFlows: FlowUsage,
    marks: described(
      Type.Array(UsageMark),
      `Oldest first, the latest ${marksMax}. Of loads and starts of servers, those that the database of the platform knows: a provider with a database of its own has its own.`,
    ),
  },
})
