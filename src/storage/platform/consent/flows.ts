import {
  countStages,
  flowDays,
  flowRetentionDays,
  flowSeconds,
  flowStages,
} from '../../../contract/consent-flows.ts'
import {
  type FlowEndCount,
  type FlowQuery,
  type FlowStep,
  type FlowStore,
  type RecordedFlow,
  requiresOpenFlow,
  stateAfter,
  stepCountMax,
} from '../../../platform/consent/flow-store.ts'
import { codeSeconds } from '../../../platform/consent/sharing-duration.ts'
import { boolean, type Cell, integer, oneOf, optional, type Sql, text, time } from '../../sql.ts'
import { insert } from '../rows.ts'
import { purgeExpired } from './purge-expired.ts'

const flow = {
  id: text,
  thirdPartyId: readThirdPartyId,
  started: time,
  updated: time,
  state: oneOf<RecordedFlow['state']>(),
  consentId: optional(text),
  steps: readSteps,
}
const expired = { table: 'consent_flow', key: 'id', time: 'started' }
const listedMs = flowDays * 24 * 3_600_000
const retentionMs = flowRetentionDays * 24 * 3_600_000
const abandonedMs = flowSeconds * 1000
/** A code can be exchanged a while after the customer agreed. */
const endedMs = (flowSeconds + codeSeconds) * 1000

/** Of a sign-in to the page with consents. */
const noThirdParty = ''

/** Between the texts of steps, which are JSON and do not contain it. */
const stepSeparator = '\n'

export function createFlowStore(sql: Sql): FlowStore {
  const append = async (key: 'id' | 'consent', id: string, step: FlowStep, consentId?: string) => {
    await sql.run(
      `update consent_flow set steps = steps || $2, step_count = step_count + 1,
         state = case when $3 >= updated then $4 else state end,
         updated = case when $3 > updated then $3 else updated end, consent = coalesce($5, consent),
         stages = case when $8 > stages then $8 else stages end
       where ${key} = $1 and step_count < $6
         and (cast($7 as integer) = 0 or state in ('in_progress', 'failed'))`,
      [
        id,
        stepSeparator + writeStep(step),
        step.time,
        stateAfter(step),
        consentId,
        stepCountMax(step),
        Number(requiresOpenFlow(step)),
        countStages(step.step, step.outcome),
      ],
    )
  }
  return {
    async add(id, thirdPartyId, first, isOnce = false) {
      const stages = thirdPartyId !== undefined && first.outcome === 'succeeded' ? 0 : null
      const times = { started: first.time, updated: first.time }
      const steps = { stepCount: 1, steps: writeStep(first), isOnce, stages }
      const flow = { thirdParty: thirdPartyId ?? noThirdParty, state: stateAfter(first) }
      await sql.inOrder(
        insert('consent_flow', { id, ...flow, ...times, ...steps }, 'on conflict do nothing'),
        purgeExpired(sql.dialect, expired, first.time.epochMilliseconds - retentionMs),
      )
    },
    append: (id, step, consentId) => append('id', id, step, consentId),
    async countEnds({ from, until }, now, thirdPartyId) {
      const rows = await sql.all(
        { stages: integer, isCancelled: integer, isOnce: boolean, count: integer },
        `select stages, case when state = 'cancelled' then 1 else 0 end as is_cancelled, is_once,
           count(*)
         from consent_flow
         where started >= $1 and started < $2 and stages is not null
           and (started <= $3 or state = 'cancelled' or stages >= ${flowStages.length})
           and third_party = coalesce($4, third_party)
         group by 1, 2, 3`,
        [from, until, now.epochMilliseconds - endedMs, thirdPartyId],
      )
      return rows.map(({ stages, isCancelled, ...rest }) => ({
        end: toEnd(stages, isCancelled === 1),
        ...rest,
      }))
    },
    appendToConsent: (consentId, step) => append('consent', consentId, step),
    async list(selected, { epochMilliseconds: now }) {
      const { state, start, end } = boundFlows(selected, now)
      const values = [...start, ...end, selected.limit]
      const isState = state === undefined ? '' : 'state = $6 and'
      const rows = await sql.all(
        flow,
        `select id, third_party, started, updated, state, consent, steps from consent_flow
         where ${isState} (started, id) > ($1, $2) and (started, id) < ($3, $4)
         order by started desc, id desc limit $5`,
        state === undefined ? values : [...values, state],
      )
      // A flow that did not end can no longer go on.
      const isAbandoned = ({ state, started }: RecordedFlow) =>
        state === 'in_progress' && started.epochMilliseconds <= now - abandonedMs
      return rows.map((row) => (isAbandoned(row) ? { ...row, state: 'abandoned' } : row))
    },
  }
}

function toEnd(stages: number, isCancelled: boolean): FlowEndCount['end'] {
  const stage = flowStages[stages]
  if (stage === undefined) return 'exchanged'
  return isCancelled ? 'rejected' : stage
}

function writeStep({ time, step, outcome, reason, detail }: FlowStep): string {
  return JSON.stringify([time.epochMilliseconds, step, outcome, reason, detail])
}

function readThirdPartyId(cell: Cell): string | undefined {
  return text(cell) || undefined
}

/** In the order of time: several processes may record the steps of a flow. */
function readSteps(cell: Cell): FlowStep[] {
  const steps = text(cell)
    .split(stepSeparator)
    .map((line) => {
      const [milliseconds, step, outcome, reason, detail] = JSON.parse(line)
      const optionals = { ...(reason != null && { reason }), ...(detail != null && { detail }) }
      return { time: time(milliseconds), step, outcome, ...optionals }
    })
  return steps.sort((a, b) => Temporal.Instant.compare(a.time, b.time))
}

/** The stored state of a list, and the positions that it is between, exclusive. An abandoned flow is stored as in progress. */
function boundFlows({ state, after }: FlowQuery, now: number) {
  const abandonedAt = now - abandonedMs
  const oldest = state === 'in_progress' ? abandonedAt : now - listedMs
  const newest = state === 'abandoned' ? abandonedAt : Number.MAX_SAFE_INTEGER - 1
  const last = after?.started.epochMilliseconds ?? Number.POSITIVE_INFINITY
  return {
    state: state === 'abandoned' ? 'in_progress' : state,
    start: [oldest + 1, ''],
    end: last <= newest ? [last, after?.id ?? ''] : [newest + 1, ''],
  }
}
