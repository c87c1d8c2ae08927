import type { RecordType } from '../../../contract/index.ts'
import type { CorrectionStore } from '../../../disclosures/correction.ts'
import { boolean, integer, oneOf, optional, type Sql, text, time } from '../../sql.ts'

const correction = {
  number: integer,
  time,
  type: oneOf<RecordType>(),
  isDeleted: boolean,
  customerId: text,
  accountId: optional(text),
  entryId: optional(text),
  timeBefore: optional(time),
  timeAfter: optional(time),
}

export function createCorrectionStore(sql: Sql): CorrectionStore {
  const { useIndex } = sql.dialect
  const list = (index: string, isSelected: string) => `
    select number, time, type, is_deleted, customer, account, entry, time_before, time_after
    from correction ${useIndex(index)}
    where ${isSelected} (time, number) > ($1, $2) and time < $3
    order by time, number limit $4`
  const listAll = list('correction_time', '')
  const listOf = list('correction_customer', 'customer = $5 and')
  return {
    list({ from = startOfTime, to = endOfTime, customerId, after, limit }) {
      const values = [after?.time ?? from, after?.number ?? -1, to, limit]
      return customerId === undefined
        ? sql.all(correction, listAll, values)
        : sql.all(correction, listOf, [...values, customerId])
    },
    async remove(before) {
      await sql.run('delete from correction where time < $1', [before])
    },
  }
}

const startOfTime = Temporal.Instant.fromEpochMilliseconds(0)
const endOfTime = Temporal.Instant.fromEpochMilliseconds(8.64e15)
