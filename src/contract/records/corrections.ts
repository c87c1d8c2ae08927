import type { Static } from 'typebox'
import { oneOf } from '../enumerations.ts'
import { described, record } from '../record.ts'
import { Count, Flag, Id, PlainDate, Text, Timestamp } from '../scalars.ts'
import { Type } from '../type.ts'
import { ConsentThirdParty } from './consents.ts'

/** The types of lines with data of customers. */
export const correctableTypes = [
  'customer',
  'banking.account',
  'banking.balance',
  'banking.transaction',
  'banking.scheduledPayment',
  'banking.directDebit',
  'energy.account',
  'energy.invoice',
  'energy.billing',
  'account.contact',
] as const

const corrected = {
  customerId: described(Id, 'The customer who held the account before the correction.'),
  type: described(oneOf(correctableTypes), 'The type of the record, as in lines of data.'),
  isDeleted: described(
    Flag,
    'Whether the customer has no such record any longer. All data of an account that is gone was wrong.',
  ),
}
const ids = {
  accountId: described(Id, 'Absent for the record of the customer.'),
  recordId: described(
    Id,
    'The id of a transaction, a scheduled payment or another record that an account has many of, if it has one.',
  ),
}

export type CorrectionNotice = Static<typeof CorrectionNotice>
export const CorrectionNotice = record('CorrectionNotice', {
  description:
    'What a customer has to know: data was wrong, and was corrected after a third party can have received it.',
  required: {
    ...corrected,
    data: described(Text, 'The kind of data, in words.'),
    corrected: described(Timestamp, 'When the correction was committed.'),
    noticeDue: described(
      PlainDate,
      'The last day for the notice: five business days after the correction. Public holidays are not known: with one in between, the notice is due later.',
    ),
    thirdParty: ConsentThirdParty,
    consentId: described(Id, 'The consent under which the data was disclosed.'),
    disclosures: described(Count, 'How many disclosures can have contained the data.'),
    firstDisclosed: described(Timestamp, 'The first of them.'),
    lastDisclosed: described(Timestamp, 'The last of them.'),
  },
  optional: ids,
})

export type CorrectionNoticeList = Static<typeof CorrectionNoticeList>
export const CorrectionNoticeList = record('CorrectionNoticeList', {
  description: 'A page of notices.',
  required: {
    data: described(
      Type.Array(CorrectionNotice),
      'In the order of the corrections. A page has all notices of its last correction, and may have none.',
    ),
  },
  optional: { next: described(Text, 'The `cursor` of the next page. Absent on the last page.') },
})

/** A line of `holdfast data corrections`. */
export type CorrectionLine = Static<typeof CorrectionLine>
export const CorrectionLine = record('CorrectionLine', {
  description: 'A correction, without the data.',
  required: { time: described(Timestamp, 'When it was committed.'), ...corrected },
  optional: {
    ...ids,
    timeBefore: described(
      Timestamp,
      'Of a transaction, an invoice or a billing transaction. A local time or a date is that time in UTC.',
    ),
    timeAfter: described(Timestamp, 'The same after the correction.'),
  },
})
