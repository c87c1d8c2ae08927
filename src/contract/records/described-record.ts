import type { Static } from 'typebox'
import { described, record } from '../record.ts'
import { Count, Text, Timestamp } from '../scalars.ts'
import { Type } from '../type.ts'

export type DescribedRecord = Static<typeof DescribedRecord>
export const DescribedRecord = record('DescribedRecord', {
  description: 'What a request of a third party got, in the words that the customer reads.',
  required: {
    time: described(Timestamp, 'When the answer was recorded.'),
    localTime: described(Text, 'The same time in the time zone of the platform, with its name.'),
    service: described(Text, 'The name of the third party.'),
    data: described(Text, 'What was asked for.'),
    result: described(Text, '`Shared`, or why nothing was shared.'),
    records: described(Count, 'How many records were shared.'),
    accounts: described(Type.Array(Text), 'The accounts whose data was shared.'),
  },
  optional: {
    from: described(Text, 'The beginning of the period that was asked for: a date, or a time.'),
    to: described(Text, 'The end of the period.'),
  },
})

export type DescribedRecordList = Static<typeof DescribedRecordList>
export const DescribedRecordList = record('DescribedRecordList', {
  description: 'What was shared of a customer.',
  required: { data: described(Type.Array(DescribedRecord), 'Newest first.') },
  optional: {
    next: described(
      Text,
      'The `cursor` of the page with earlier records. Absent on the last page.',
    ),
  },
})
