import type { Correction, CorrectionStore } from '../../../disclosures/correction.ts'
import { parseExplicitKey } from '../../../provider/entry-order.ts'
import { boolean, integer, oneOf, optional, type Sql, text, time } from '../../sql.ts'

const correction = {
  number: integer,
  time,
  type: oneOf<Correction['type']>(),
  isDeleted: boolean,
  customerId: text,
  accountId: optional(text),
  key: optional(text),
  timeBefore: optional(time),
  timeAfter: optional(time),
}

export function createCorrectionStore(sql: Sql): CorrectionStore {
  const list = (isSelected = '') => `
    select number, time, type, is_deleted, customer, account, entry, time_before, time_after
    from correction where ${isSelected} (time, number) > ($1, $2) and time < $3
    order by time, number limit $4`
  const listAll = list()
  const listOf = list('customer = $5 and')
  return {
    async list({ from = startOfTime, to = endOfTime, customerId, after, limit }) {
      const values = [after?.time ?? from, after?.number ?? -1, to, limit]
      const found =
        customerId === undefined
          ? await sql.all(correction, listAll, values)
          : await sql.all(correction, listOf, [...values, customerId])
      return found.map(({ key, ...each }) => ({ ...each, recordId: key && toId(each.type, key) }))
    },
    async remove(before) {
      await sql.run('delete from correction where time < $1', [before])
    },
  }
}

const startOfTime = Temporal.Instant.fromEpochMilliseconds(0)
const endOfTime = Temporal.Instant.fromEpochMilliseconds(8.64e15)

/** These have keys, some of which are made from content. */
function toId(type: Correction['type'], key: string): string | undefined {
  const isKeyed = type === 'banking.directDebit' || type === 'energy.billing'
  return isKeyed ? parseExplicitKey(key) : key
}
