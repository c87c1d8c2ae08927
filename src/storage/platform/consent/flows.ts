import {
  type FlowStep,
  type FlowStore,
  type RecordedFlow,
  requiresOpenFlow,
  stateAfter,
  stepCountMax,
} from '../../../platform/consent/flow-store.ts'
import { type Cell, integer, oneOf, optional, type Sql, text } from '../../sql.ts'
import {
  boundFlows,
  flowRetentionMs,
  readSteps,
  stepSeparator,
  toState,
  writeStep,
} from './flow-steps.ts'
import { purgeExpired } from './purge-expired.ts'

const flow = {
  id: text,
  thirdPartyId: text,
  started: integer,
  updated: integer,
  state: oneOf<RecordedFlow['state']>(),
  consentId: optional(text),
  steps: (cell: Cell) => readSteps(text(cell)),
}
const expired = { table: 'consent_flow', key: 'id', time: 'started' }
const instant = Temporal.Instant.fromEpochMilliseconds

export function createFlowStore(sql: Sql): FlowStore {
  const append = async (key: 'id' | 'consent', id: string, step: FlowStep, consentId?: string) => {
    await sql.run(
      `update consent_flow set steps = steps || $2, step_count = step_count + 1,
         state = case when $3 >= updated then $4 else state end,
         updated = case when $3 > updated then $3 else updated end, consent = coalesce($5, consent)
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
      ],
    )
  }
  return {
    async add(id, thirdPartyId, first) {
      await sql.inOrder(
        [
          `insert into consent_flow
             (id, third_party, started, updated, state, step_count, steps)
           values ($1, $2, $3, $3, $4, 1, $5) on conflict do nothing`,
          [id, thirdPartyId, first.time, stateAfter(first), writeStep(first)],
        ],
        purgeExpired(sql.dialect, expired, first.time.epochMilliseconds - flowRetentionMs),
      )
    },
    append: (id, step, consentId) => append('id', id, step, consentId),
    appendToConsent: (consentId, step) => append('consent', consentId, step),
    async list(selected, { epochMilliseconds: now }) {
      const { state, start, end } = boundFlows(selected, now)
      const values = [start.started, start.id, end.started, end.id, selected.limit]
      const isState = state === undefined ? '' : 'state = $6 and'
      const rows = await sql.all(
        flow,
        `select id, third_party, started, updated, state, consent, steps from consent_flow
         where ${isState} (started, id) > ($1, $2) and (started, id) < ($3, $4)
         order by started desc, id desc limit $5`,
        state === undefined ? values : [...values, state],
      )
      return rows.map((row) => ({
        ...row,
        state: toState(row.state, row.started, now),
        started: instant(row.started),
        updated: instant(row.updated),
      }))
    },
  }
}
