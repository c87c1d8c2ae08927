import type { Block } from '../../../disclosures/block.ts'
import type { DisclosureRecord } from '../../../disclosures/record.ts'
import type { DisclosureStore } from '../../../platform/consent/store.ts'
import { type Call, type Sql, text, time } from '../../sql.ts'

/**
 * The statements that note what the records of a block disclosed, in an order that all processes have: of two that change
 * the same rows, one waits for the other.
 */
export function discloseScopes(
  { time }: Pick<Block, 'time'>,
  records: readonly DisclosureRecord[],
): readonly Call[] {
  const disclosed = records.filter(({ error }) => error === undefined)
  const names = disclosed.flatMap(({ consentId, scopes }) =>
    scopes.map((scope) => `${consentId} ${scope}`),
  )
  return [...new Set(names)].sort().map((name) => {
    const [consentId = '', scope = ''] = name.split(' ')
    return [disclose, [consentId, scope, time]]
  })
}

const disclose = `insert into disclosure (arrangement, scope, first_time, last_time)
  values ($1, $2, $3, $3)
  on conflict (arrangement, scope) do update set last_time = excluded.last_time
  where excluded.last_time > disclosure.last_time`

export function createDisclosureStore(sql: Sql): DisclosureStore {
  return {
    list: (arrangementId) =>
      sql.all(
        { scope: text, first: time, last: time },
        'select scope, first_time, last_time from disclosure where arrangement = $1 order by scope',
        [arrangementId],
      ),
    async listLast(arrangementIds) {
      const found = await sql.all(
        { id: text, scope: text, first: time, last: time },
        `select arrangement, scope, first_time, last_time from disclosure
         where ${sql.dialect.isOneOf('arrangement', '$1')} order by last_time, scope`,
        [arrangementIds],
      )
      return new Map(found.map(({ id, ...disclosure }) => [id, disclosure]))
    },
  }
}
