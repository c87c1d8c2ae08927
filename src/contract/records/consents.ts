import type { Static } from 'typebox'
import {
  accountChangesMax,
  accountReasonDescriptions,
  accountReasons,
  accountStates,
} from '../account-states.ts'
import {
  flowDays,
  flowOutcomes,
  flowReasonDescriptions,
  flowReasons,
  flowStates,
  flowStepDescriptions,
  flowStepNames,
} from '../consent-flows.ts'
import {
  listedMessagesMax,
  messageKindDescriptions,
  messageKinds,
  messageStateDescriptions,
  messageStates,
} from '../consent-messages.ts'
import { changeReasons, consentStatuses } from '../consent-statuses.ts'
import { described, record } from '../record.ts'
import { Count, Id, Text, Timestamp } from '../scalars.ts'
import { Type } from '../type.ts'
import { Actor } from './actor.ts'

export type ConsentThirdParty = Static<typeof ConsentThirdParty>
export const ConsentThirdParty = record('ConsentThirdParty', {
  description: 'The third party that a customer shares data with.',
  required: { id: described(Id, 'The id that `holdfast client list` prints.') },
  optional: { name: described(Text, 'Absent if the third party was removed.') },
})

export type ConsentMessage = Static<typeof ConsentMessage>
export const ConsentMessage = record('ConsentMessage', {
  description: 'A message that the platform sends about a consent.',
  required: {
    kind: described(
      Type.Enum([...messageKinds]),
      `What it is for: ${listDescriptions(messageKindDescriptions)}.`,
    ),
    state: described(
      Type.Enum([...messageStates]),
      `What became of it: ${listDescriptions(messageStateDescriptions)}.`,
    ),
    created: described(Timestamp, 'When the change of the consent caused it.'),
    attempts: described(Count, 'How many attempts to deliver it began.'),
  },
  optional: {
    nextAttempt: described(Timestamp, 'Of a waiting message.'),
    settled: described(Timestamp, 'When it was delivered, given up or cancelled.'),
    lastFailure: described(
      Text,
      'Why the last attempt that failed did, such as `status 503`, `timed out` or `ECONNREFUSED`.',
    ),
  },
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
  messages: described(
    Type.Array(ConsentMessage),
    `The messages about the consent, oldest first: at most the last ${listedMessagesMax}. A third party without a base URI gets none.`,
  ),
}

const versionFields = {
  versionOf: described(
    Id,
    'The consent whose earlier terms these are. It was amended, so this one is withdrawn.',
  ),
}

export type Consent = Static<typeof Consent>
export const Consent = record('Consent', {
  description: 'What a customer agreed to share with a third party, and until when.',
  required: fields,
  optional: versionFields,
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
  optional: {
    by: described(Actor, 'Who withdrew it, if the reason is `operator`.'),
  },
})

const accountId = described(Id, 'The id of the account at the provider.')
const accountReason = described(
  Type.Enum([...accountReasons]),
  `How the platform knows: ${listDescriptions(accountReasonDescriptions)}.`,
)

export type ConsentAccount = Static<typeof ConsentAccount>
export const ConsentAccount = record('ConsentAccount', {
  description: 'An account that the customer agreed to share, with its state.',
  required: {
    accountId,
    state: described(
      Type.Enum([...accountStates]),
      'Available: its data can be read. Closed: it is closed, and its data can be read. Restricted: the provider refuses to share it now. No longer held: the provider does not know it for the customer. Removed: by the customer, with an amendment.',
    ),
    reason: accountReason,
    since: described(Timestamp, 'When the platform learned of the state.'),
  },
})

export type ConsentAccountChange = Static<typeof ConsentAccountChange>
export const ConsentAccountChange = record('ConsentAccountChange', {
  description: 'A change of the state of an account.',
  required: {
    time: described(Timestamp, 'When the platform learned of it.'),
    accountId,
    state: described(
      Type.Enum(accountStates.filter((state) => state !== 'removed')),
      'The state since then.',
    ),
    reason: accountReason,
  },
})

export type ConsentAmendment = Static<typeof ConsentAmendment>
export const ConsentAmendment = record('ConsentAmendment', {
  description: 'What an amendment of a consent changed.',
  required: {
    time: described(Timestamp, 'When the third party exchanged its code: the terms since then.'),
    addedAccountIds: described(Type.Array(Id), 'The accounts that were added.'),
    removedAccountIds: described(Type.Array(Id), 'The accounts that were removed.'),
    addedScopes: described(Type.Array(Text), 'The data that was added.'),
    removedScopes: described(Type.Array(Text), 'The data that was removed.'),
    earlierUntil: described(Timestamp, 'When the sharing would have ended before.'),
    until: described(Timestamp, 'When it ends instead.'),
  },
})

export type ConsentDisclosure = Static<typeof ConsentDisclosure>
export const ConsentDisclosure = record('ConsentDisclosure', {
  description: 'When the third party received data of a scope.',
  required: {
    scope: described(Text, 'Of the data.'),
    first: described(Timestamp, 'The first time.'),
    last: described(Timestamp, 'The last time. It may be a minute later.'),
  },
})

export type ConsentDetail = Static<typeof ConsentDetail>
export const ConsentDetail = record('ConsentDetail', {
  description: 'A consent with its history.',
  required: {
    ...fields,
    changes: described(Type.Array(ConsentChange), 'The changes of the status, oldest first.'),
    accounts: described(
      Type.Array(ConsentAccount),
      'The shared accounts, followed by those that an amendment removed.',
    ),
    accountChanges: described(
      Type.Array(ConsentAccountChange),
      `The changes of the states of accounts, oldest first: at most the last ${accountChangesMax} of each.`,
    ),
    amendments: described(Type.Array(ConsentAmendment), 'The amendments, oldest first.'),
    disclosures: described(Type.Array(ConsentDisclosure), 'What the third party received.'),
  },
  optional: versionFields,
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
      'The error that the third party received, for a request of the third party, or the limit that was reached.',
    ),
  },
})

export type ConsentFlow = Static<typeof ConsentFlow>
export const ConsentFlow = record('ConsentFlow', {
  description:
    'An attempt to give a consent or to sign in to the page with consents, without data of the customer.',
  required: {
    flowId: described(Id, 'Identifies the flow in this list only.'),
    state: described(
      Type.Enum([...flowStates]),
      'Completed: the customer returned to the third party with a code, or signed in. Cancelled: by the customer. Failed: the last step failed. Abandoned: the customer did not go on within 20 minutes.',
    ),
    started: described(Timestamp, 'When the customer or, if rejected, the request arrived.'),
    updated: described(Timestamp, 'When the last step ended.'),
    steps: described(Type.Array(ConsentFlowStep), 'The steps, oldest first.'),
  },
  optional: {
    thirdParty: described(
      ConsentThirdParty,
      'Absent if the customer signs in to the page with consents.',
    ),
    consentId: described(Id, 'The consent that the flow led to.'),
  },
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
