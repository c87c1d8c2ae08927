import Type, { type Static } from 'typebox'
import { changeReasons, consentStatuses } from '../consent-statuses.ts'
import { described, record } from '../record.ts'
import { Id, Text, Timestamp } from '../scalars.ts'

export type ConsentThirdParty = Static<typeof ConsentThirdParty>
export const ConsentThirdParty = record(
  'ConsentThirdParty',
  { id: described(Id, 'The id that `holdfast client list` prints.') },
  { name: described(Text, 'Absent if the third party was removed.') },
  { description: 'The third party that a customer shares data with.' },
)

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
export const Consent = record(
  'Consent',
  fields,
  {},
  { description: 'What a customer agreed to share with a third party, and until when.' },
)

export type ConsentList = Static<typeof ConsentList>
export const ConsentList = record(
  'ConsentList',
  { data: described(Type.Array(Consent), 'The consents, those changed first at the start.') },
  { next: described(Text, 'The `cursor` of the next page. Absent on the last page.') },
  { description: 'A page of consents.' },
)

export type ConsentChange = Static<typeof ConsentChange>
export const ConsentChange = record(
  'ConsentChange',
  {
    time: described(Timestamp, 'When the status changed.'),
    status: described(Type.Enum([...consentStatuses]), 'The status since then.'),
    reason: described(
      Type.Enum([...changeReasons]),
      'Who or what changed it: `customer`, `operator` and `third_party` did so themselves; `third_party_removed` is the removal of its registration, `code_replayed` the second use of an authorization code, `amended` a new consent that replaced this one, `sharing_ended` the end of the agreed time.',
    ),
  },
  {},
  { description: 'A change of the status of a consent.' },
)

export type ConsentDetail = Static<typeof ConsentDetail>
export const ConsentDetail = record(
  'ConsentDetail',
  {
    ...fields,
    changes: described(Type.Array(ConsentChange), 'The changes of the status, oldest first.'),
  },
  {},
  { description: 'A consent with the changes of its status.' },
)
