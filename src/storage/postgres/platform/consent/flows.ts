import type pg from 'pg'
import {
  type FlowStep,
  type FlowStore,
  type RecordedFlow,
  requiresOpenFlow,
  stateAfter,
  stepCountMax,
} from '../../../../platform/consent/flow-store.ts'
import {
  boundFlows,
  flowRetentionMs,
  readSteps,
  stepSeparator,
  toState,
  writeStep,
} from '../../../consent-flows.ts'
import { runInOrder, runStatement } from '../../driver/statements.ts'
import { createPurge } from './purge-expired.ts'

const purge = createPurge('consent_flow', 'id', 'started')
const insert = {
  name: 'add-consent-flow',
  text: `insert into consent_flow values ($1, $2, $3, $3, $4, null, 1, $5) on conflict do nothing`,
}
const appendWhere = (key: 'id' | 'consent') => ({
  name: `append-to-consent-flow-by-${key}`,
  text: `update consent_flow set steps = steps || $2, step_count = step_count + 1,
      state = case when $3 >= updated then $4 else state end, updated = greatest(updated, $3),
      consent = coalesce($5, consent)
    where ${key} = $1 and step_count < $6
      and ($7 = 0 or state in ('in_progress', 'failed'))`,
})
const appendById = appendWhere('id')
const appendByConsent = appendWhere('consent')
const listWhere = (name: string, condition: string) => ({
  name: `list-consent-flows${name}`,
  text: `select id, third_party, started, updated, state, consent, steps from consent_flow
    where (started, id) > ($1, $2) and (started, id) < ($3, $4)${condition}
    order by started desc, id desc limit $5`,
})
const listAll = listWhere('', '')
const listByState = listWhere('-by-state', ' and state = $6')

function toValues(key: string, step: FlowStep, consent: string | null) {
  return [
    key,
    stepSeparator + writeStep(step),
    step.time.epochMilliseconds,
    stateAfter(step),
    consent,
    stepCountMax(step),
    Number(requiresOpenFlow(step)),
  ]
}

export function openFlows(pool: pg.Pool): FlowStore {
  return {
    async add(id, thirdPartyId, first) {
      const time = first.time.epochMilliseconds
      await runInOrder(pool, [
        [insert, [id, thirdPartyId, time, stateAfter(first), writeStep(first)]],
        [purge, [time - flowRetentionMs]],
      ])
    },
    async append(id, step, consentId) {
      await runStatement(pool, appendById, toValues(id, step, consentId ?? null))
    },
    async appendToConsent(consentId, step) {
      await runStatement(pool, appendByConsent, toValues(consentId, step, null))
    },
    async list(selected, { epochMilliseconds: now }) {
      const { state, start, end } = boundFlows(selected, now)
      const values = [start.started, start.id, end.started, end.id, selected.limit]
      const rows = await (state === undefined
        ? runStatement(pool, listAll, values)
        : runStatement(pool, listByState, [...values, state]))
      return rows.map(([id, thirdPartyId, started, updated, stored, consentId, steps]) => ({
        id: id ?? '',
        thirdPartyId: thirdPartyId ?? '',
        state: toState(stored as RecordedFlow['state'], Number(started), now),
        started: Temporal.Instant.fromEpochMilliseconds(Number(started)),
        updated: Temporal.Instant.fromEpochMilliseconds(Number(updated)),
        consentId: consentId ?? undefined,
        steps: readSteps(steps ?? ''),
      }))
    },
  }
}
