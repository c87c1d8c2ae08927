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
  const list = (isOfCustomer: string) => `
    select number, time, type, is_deleted, customer, account, entry, time_before, time_after
    from correction ${useIndex('correction_customer')}
    where (customer, number) > ($1, $2) and time >= $3 and time < $4 ${isOfCustomer}
    order by customer, number limit $5`
  return {
    list({ from = startOfTime, to = endOfTime, customerId, after, limit }) {
      const start = [after?.customerId ?? customerId ?? '', after?.number ?? 0]
      const values = [...start, from, to, limit]
      return customerId === undefined
        ? sql.all(correction, list(''), values)
        : sql.all(correction, list('and customer = $6'), [...values, customerId])
    },
    async remove(before) {
      await sql.run('delete from correction where time < $1', [before])
    },
  }
}

const startOfTime = Temporal.Instant.fromEpochMilliseconds(0)
const endOfTime = Temporal.Instant.fromEpochMilliseconds(8.64e15)
