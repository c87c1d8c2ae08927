import type { DatabaseSync } from 'node:sqlite'
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
import { command, query } from '../../driver/statements.ts'
import type { Write } from '../../driver/write-queue.ts'
import { createPurge } from './purge-expired.ts'

interface Row {
  readonly id: string
  readonly third_party: string
  readonly started: number
  readonly updated: number
  readonly state: RecordedFlow['state']
  readonly consent: string | null
  readonly steps: string
}

export function openFlows(database: DatabaseSync, write: Write): FlowStore {
  const purge = createPurge(database, 'consent_flow', 'id', 'started')
  const insert = command(
    database,
    'insert into consent_flow values (?, ?, ?, ?, ?, null, 1, ?) on conflict do nothing',
  )
  const appendWhere = (key: 'id' | 'consent') =>
    command(
      database,
      `update consent_flow set steps = steps || :text, step_count = step_count + 1,
         state = iif(:time >= updated, :state, state), updated = max(updated, :time),
         consent = coalesce(:consent, consent)
       where ${key} = :key and step_count < :countMax
         and (not :requiresOpen or state in ('in_progress', 'failed'))`,
    )
  const appendById = appendWhere('id')
  const appendByConsent = appendWhere('consent')
  const listWhere = (index: string, condition: string) =>
    query<Row>(
      database,
      `select id, third_party, started, updated, state, consent, steps
       from consent_flow indexed by ${index}
       where ${condition}(started, id) > (?, ?) and (started, id) < (?, ?)
       order by started desc, id desc limit ?`,
    )
  const listAll = listWhere('consent_flow_started', '')
  const listByState = listWhere('consent_flow_state', 'state = ? and ')
  const toValues = (key: string, step: FlowStep, consent: string | null) => ({
    key,
    consent,
    text: stepSeparator + writeStep(step),
    time: step.time.epochMilliseconds,
    state: stateAfter(step),
    countMax: stepCountMax(step),
    requiresOpen: Number(requiresOpenFlow(step)),
  })

  return {
    async add(id, thirdPartyId, first) {
      const time = first.time.epochMilliseconds
      await write(() => {
        purge.run(time - flowRetentionMs)
        insert.run(id, thirdPartyId, time, time, stateAfter(first), writeStep(first))
      })
    },
    async append(id, step, consentId) {
      await write(() => appendById.run(toValues(id, step, consentId ?? null)))
    },
    async appendToConsent(consentId, step) {
      await write(() => appendByConsent.run(toValues(consentId, step, null)))
    },
    async list(selected, { epochMilliseconds: now }) {
      const { state, start, end } = boundFlows(selected, now)
      const values = [start.started, start.id, end.started, end.id, selected.limit]
      const rows = state === undefined ? listAll.all(...values) : listByState.all(state, ...values)
      return rows.map((row) => ({
        id: row.id,
        thirdPartyId: row.third_party,
        state: toState(row.state, row.started, now),
        started: Temporal.Instant.fromEpochMilliseconds(row.started),
        updated: Temporal.Instant.fromEpochMilliseconds(row.updated),
        consentId: row.consent ?? undefined,
        steps: readSteps(row.steps),
      }))
    },
  }
}
