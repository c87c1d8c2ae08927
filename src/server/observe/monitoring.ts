import {
  type ErrorClause,
  errorClauses,
  type MonitoredRole,
  monitoredRoles,
  overloadClause,
  type RejectionCount,
  type RejectionList,
  refusalCircumstances,
  refusalClause,
  restrictionReasons,
} from '../../contract/index.ts'
import { rejectionTable } from '../../contract/rejection-reasons.ts'
import { toolNames } from '../../contract/tools.ts'
import { overloadReason } from '../../http/load-shedding.ts'
import type { Monitoring } from '../../http/monitoring-app.ts'
import type { FailedRequest } from '../../http/request-log.ts'
import { type MetricsOrigin, readOrigin } from './metrics-origin.ts'
import { openSampler, type SamplerLimits } from './metrics-sampler.ts'
import { mergeReports } from './rejection-log.ts'

/** Everything that operators see of the servers. */
export function openMonitoring(
  origins: readonly MetricsOrigin[],
  limits?: SamplerLimits,
): Monitoring & { close(): void } {
  const { subscribe, close } = openSampler(origins, limits)
  return {
    subscribe,
    close,
    async listRejections(query): Promise<RejectionList> {
      const results = await Promise.all(
        origins.map((origin) => readOrigin(origin, (reader) => reader.rejections(query))),
      )
      const { rejections, reasons } = mergeReports(results.flatMap(({ value }) => value ?? []))
      return {
        data: rejections.map(({ time, interactionId, operation, ...failure }) => ({
          time: new Date(time).toISOString(),
          interactionId,
          operation,
          ...explain(failure),
        })),
        reasons: reasons.map(({ count, ...failure }) => ({ ...explain(failure), count })),
        sources: results.flatMap(({ sources }) => sources),
      }
    },
  }
}

const tokenClauses = new Map<string, ErrorClause>(
  Object.entries(rejectionTable).map(([reason, { title: _title, ...clause }]) => [reason, clause]),
)
const clauses = new Map<string, ErrorClause | undefined>(Object.entries(errorClauses))

type Failure = Pick<FailedRequest, 'role' | 'status' | 'code' | 'reason' | 'circumstance' | 'tool'>

/** Adds the clause and the setting. A report of another version may have codes and reasons that this one does not know. */
function explain(failure: Failure): Omit<RejectionCount, 'count'> {
  const { role, status, code, reason } = failure
  const circumstance = refusalCircumstances.find((known) => known === failure.circumstance)
  const tool = toolNames.find((known) => known === failure.tool)
  const ofToken = code === 'unauthorized' ? tokenClauses.get(reason) : undefined
  const isRestriction = restrictionReasons.some((known) => known === circumstance)
  const ofRestriction = isRestriction ? refusalClause : undefined
  const ofOverload = reason === overloadReason ? overloadClause : undefined
  return {
    role: isRole(role) ? role : 'provider',
    status,
    reason,
    ...(code !== undefined && { code }),
    ...(circumstance && { circumstance }),
    ...(tool && { tool }),
    ...(ofToken ?? ofOverload ?? ofRestriction ?? clauses.get(code ?? '')),
  }
}

function isRole(role: string): role is MonitoredRole {
  return monitoredRoles.some((known) => known === role)
}
