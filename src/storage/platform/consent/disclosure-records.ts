import { type DisclosureRecord, parseRecords, unsentStart } from '../../../disclosures/record.ts'
import type { DisclosureRecordStore } from '../../../disclosures/store.ts'
import { boolean, type Call, integer, optional, type Sql, text, time } from '../../sql.ts'
import { discloseScope } from './disclosures.ts'

const block = {
  chain: text,
  number: integer,
  time,
  previous: text,
  hash: text,
  lines: text,
}
const columns = 'b.chain, b.number, b.time, b.previous, b.hash, b.lines'

/** The next block of the chain says whether the answers were sent. Its first characters are read, and not all of its lines. */
const listedBlock = { ...block, isSent: boolean }
const listedColumns = `${columns}, not exists (select 1 from record_block n
  where n.chain = b.chain and n.number = b.number + 1
    and substr(n.lines, 1, ${unsentStart.length}) = '${unsentStart}')`

const head = { chain: text, number: integer, hash: text }

/** What blocks are found by, with the code in the table. */
const keyKinds = { customerId: 1, interactionId: 2 } as const
type KeyKind = keyof typeof keyKinds
type Key = readonly [kind: number, id: string]

/** Of how many blocks the heads are found. With this limit, both engines use the index of times. */
const headBlocksMax = 50_000

/** How many expired blocks have one transaction. */
const removedMax = 100

export function createDisclosureRecordStore(sql: Sql): DisclosureRecordStore {
  const { pairs, lookUp } = sql.dialect
  const ofBlock = 'b.chain = k.chain and b.number = k.number'
  const listAll = `select ${listedColumns} from record_block b
    where (b.time, b.chain, b.number) > ($1, $2, $3) and b.time < $4
    order by b.time, b.chain, b.number limit $5`
  const listOf = `select ${listedColumns} from record_key k ${lookUp('record_block', 'b', ofBlock)}
    where k.kind = $6 and k.id = $7 and (k.time, k.chain, k.number) > ($1, $2, $3) and k.time < $4
    order by k.time, k.chain, k.number limit $5`
  const listNewest = `select ${listedColumns} from record_key k ${lookUp('record_block', 'b', ofBlock)}
    where k.kind = $5 and k.id = $6 and (k.time, k.chain, k.number) < ($1, $2, $3)
    order by k.time desc, k.chain desc, k.number desc limit $4`
  const addKeys = `insert into record_key (kind, id, time, chain, number)
    select k.number, k.text, cast($3 as bigint), cast($4 as text), cast($5 as bigint)
    from ${pairs('$1', '$2')} where true on conflict do nothing`
  const removeKeys = `delete from record_key
    where (kind, id) in (select k.number, k.text from ${pairs('$1', '$2')})
      and time = $3 and chain = $4 and number = $5`

  return {
    async append({ chain, number, time, previous, hash, lines }, records) {
      const keys = listKeys(records)
      const add: Call = [
        `insert into record_block (chain, number, time, previous, hash, lines)
         values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
        [chain, number, time, previous, hash, lines],
      ]
      const place = [time, chain, number]
      await sql.inOrder(
        add,
        ...(keys.length > 0 ? [[addKeys, [...toColumns(keys), ...place]] as const] : []),
        ...listScopes(records).map(([consentId, scope]) => discloseScope(consentId, scope, time)),
      )
    },
    list({ from, to = endOfTime, after, limit, isNewestFirst, ...ids }) {
      if (isNewestFirst) {
        const end = after ? [after.time, after.chain, after.number] : [endOfTime, '', 0]
        const { customerId } = ids
        return sql.all(listedBlock, listNewest, [...end, limit, keyKinds.customerId, customerId])
      }
      const start = after ? [after.time, after.chain, after.number] : [from ?? startOfTime, '', -1]
      const [kind] = (Object.keys(keyKinds) as KeyKind[]).filter((each) => ids[each] !== undefined)
      return kind
        ? sql.all(listedBlock, listOf, [...start, to, limit, keyKinds[kind], ids[kind]])
        : sql.all(listedBlock, listAll, [...start, to, limit])
    },
    walk: (after, limit) =>
      after
        ? sql.all(
            block,
            `select ${columns} from record_block b where (b.chain, b.number) > ($1, $2)
             order by b.chain, b.number limit $3`,
            [after.chain, after.number, limit],
          )
        : sql.all(
            block,
            `select ${columns} from record_block b order by b.chain, b.number limit $1`,
            [limit],
          ),
    find: (chain, number) =>
      sql.first(
        block,
        `select ${columns} from record_block b where b.chain = $1 and b.number = $2`,
        [chain, number],
      ),
    async listHeads(now, seconds) {
      const newest = await sql.first(
        { time: optional(time) },
        'select max(time) from record_block where time <= $1',
        [now],
      )
      return sql.all(
        head,
        `select b.chain, b.number, b.hash
         from (select chain, max(number) as number
           from (select chain, number from record_block where time >= $1
             order by time desc, chain desc, number desc limit $2) as newest
           group by chain) as k ${lookUp('record_block', 'b', ofBlock)}`,
        [(newest?.time ?? now).subtract({ seconds }), headBlocksMax],
      )
    },
    async remove(blocks) {
      for (let start = 0; start < blocks.length; start += removedMax) {
        const calls = blocks.slice(start, start + removedMax).flatMap((each): Call[] => {
          const { chain, number, time } = each
          const keys = listKeys(parseRecords(each))
          return [
            [removeKeys, [...toColumns(keys), time, chain, number]],
            ['delete from record_block where chain = $1 and number = $2', [chain, number]],
          ]
        })
        await sql.inOrder(...(calls as [Call, ...Call[]]))
      }
    },
  }
}

const startOfTime = Temporal.Instant.fromEpochMilliseconds(0)
const endOfTime = Temporal.Instant.fromEpochMilliseconds(8.64e15)

/** Without repetitions. */
function listKeys(records: readonly DisclosureRecord[]): readonly Key[] {
  return (Object.entries(keyKinds) as [KeyKind, number][]).flatMap(([name, kind]) =>
    [...new Set(records.map(({ [name]: id }) => id))].map((id): Key => [kind, id]),
  )
}

const toColumns = (keys: readonly Key[]) =>
  [keys.map(([, id]) => id), keys.map(([kind]) => kind)] as const

/**
 * The scopes of each consent of which data was disclosed, in an order that all processes have: of two that change the same
 * rows, one waits for the other.
 */
function listScopes(records: readonly DisclosureRecord[]): readonly (readonly [string, string])[] {
  const disclosed = records.filter(({ error }) => error === undefined)
  const names = disclosed.flatMap(({ consentId, scopes }) =>
    scopes.map((scope) => `${consentId} ${scope}`),
  )
  return [...new Set(names)].sort().map((name) => {
    const [consentId = '', scope = ''] = name.split(' ')
    return [consentId, scope]
  })
}
