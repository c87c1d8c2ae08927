import type { Static } from 'typebox'
import {
  flowDays,
  flowOutcomes,
  flowReasonDescriptions,
  flowReasons,
  flowStates,
  flowStepDescriptions,
  flowStepNames,
} from '../consent-flows.ts'
import { changeReasons, consentStatuses } from '../consent-statuses.ts'
import { described, record } from '../record.ts'
import { Id, Text, Timestamp } from '../scalars.ts'
import { Type } from '../type.ts'

export type ConsentThirdParty = Static<typeof ConsentThirdParty>
export const ConsentThirdParty = record('ConsentThirdParty', {
  description: 'The third party that a customer shares data with.',
  required: { id: described(Id, 'The id that `holdfast client list` prints.') },
  optional: { name: described(Text, 'Absent if the third party was removed.') },
})

const fields = {
  consentId: described(Id, 'The `cdr_arrangement_id` of the Consumer Data Standards.'),
  status: described(Type.Enum([...consentStatuses]), 'Data is shared while it is active.'),
  customerId: described(Id, 'The customer who gave the consent.'),
  thirdParty: ConsentThirdParty,
  accountIds: described(Type.Array(Id), 'The shared accounts.'),
  scopes: described(Type.Array(Text), 'The data that is shared, and `openid`.'),
  from: described(Timestamp, 'When the customer gave the consent.'),
  until: described(Timestamp, 'When the sharing ends or would have ended.'),
  updated: described(Timestamp, 'When the last change of the status was recorded.'),
}

export type Consent = Static<typeof Consent>
export const Consent = record('Consent', {
  description: 'What a customer agreed to share with a third party, and until when.',
  required: fields,
})

export type ConsentList = Static<typeof ConsentList>
export const ConsentList = record('ConsentList', {
  description: 'A page of consents.',
  required: {
    data: described(Type.Array(Consent), 'The consents, those changed first at the start.'),
  },
  optional: { next: described(Text, 'The `cursor` of the next page. Absent on the last page.') },
})

export type ConsentChange = Static<typeof ConsentChange>
export const ConsentChange = record('ConsentChange', {
  description: 'A change of the status of a consent.',
  required: {
    time: described(Timestamp, 'When the status changed.'),
    status: described(Type.Enum([...consentStatuses]), 'The status since then.'),
    reason: described(
      Type.Enum([...changeReasons]),
      'Who or what changed it: `customer`, `operator` and `third_party` did so themselves; `third_party_removed` is the removal of its registration, `code_replayed` the second use of an authorization code, `amended` a new consent that replaced this one, `sharing_ended` the end of the agreed time.',
    ),
  },
})

export type ConsentDetail = Static<typeof ConsentDetail>
export const ConsentDetail = record('ConsentDetail', {
  description: 'A consent with the changes of its status.',
  required: {
    ...fields,
    changes: described(Type.Array(ConsentChange), 'The changes of the status, oldest first.'),
  },
})

export type ConsentFlowStep = Static<typeof ConsentFlowStep>
export const ConsentFlowStep = record('ConsentFlowStep', {
  description: 'A step of a consent flow. It has no data of the customer.',
  required: {
    time: described(Timestamp, 'When the step ended.'),
    step: described(
      Type.Enum([...flowStepNames]),
      `Which step it was: ${listDescriptions(flowStepDescriptions)}.`,
    ),
    outcome: described(Type.Enum([...flowOutcomes]), 'How it ended.'),
  },
  optional: {
    reason: described(
      Type.Enum([...flowReasons]),
      `Why it did not succeed: ${listDescriptions(flowReasonDescriptions)}.`,
    ),
    detail: described(
      Text,
      'The error that the third party received, for a request of the third party.',
    ),
  },
})

export type ConsentFlow = Static<typeof ConsentFlow>
export const ConsentFlow = record('ConsentFlow', {
  description: 'An attempt to give a consent, without data of the customer.',
  required: {
    flowId: described(Id, 'Identifies the flow in this list only.'),
    state: described(
      Type.Enum([...flowStates]),
      'Completed: the customer returned to the third party with a code. Cancelled: by the customer. Failed: the last step failed. Abandoned: the customer did not go on within 20 minutes.',
    ),
    thirdParty: ConsentThirdParty,
    started: described(Timestamp, 'When the customer or, if rejected, the request arrived.'),
    updated: described(Timestamp, 'When the last step ended.'),
    steps: described(Type.Array(ConsentFlowStep), 'The steps, oldest first.'),
  },
  optional: { consentId: described(Id, 'The consent that the flow led to.') },
})

export type ConsentFlowList = Static<typeof ConsentFlowList>
export const ConsentFlowList = record('ConsentFlowList', {
  description: 'A page of consent flows.',
  required: {
    data: described(
      Type.Array(ConsentFlow),
      `The flows of the last ${flowDays} days, those that started last at the start.`,
    ),
  },
  optional: { next: described(Text, 'The `cursor` of the next page. Absent on the last page.') },
})

function listDescriptions(descriptions: Readonly<Record<string, string>>): string {
  return Object.entries(descriptions)
    .map(([name, text]) => `\`${name}\` (${text})`)
    .join(', ')
}
