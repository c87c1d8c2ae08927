import { randomUUID } from 'node:crypto'
import type { Block } from '../disclosures/block.ts'
import { type AnswerRecord, parseRecords, unsentStart } from '../disclosures/record.ts'
import type { Position, RecordStore } from '../disclosures/store.ts'
import type { RecordTables } from './record-tables.ts'
import { boolean, type Call, type Dialect, integer, optional, type Sql, text, time } from './sql.ts'

const block = {
  chain: text,
  number: integer,
  time,
  previous: text,
  hash: text,
  lines: text,
}
/** The end of the times of JavaScript, in milliseconds. */
const timeMax = 8_640_000_000_000_000

/** A changed block may have a time that JavaScript does not have. With another one, its hash does not match either. */
const ownTime = `case when b.time between ${-timeMax} and ${timeMax} then b.time else ${timeMax} end`
const selectBlock = (time: string) => `b.chain, b.number, ${time}, b.previous, b.hash, b.lines`
const columns = selectBlock(ownTime)

/** No process writes others: a block that was given one is missing in its place. JavaScript would read another number. */
const isReadable = `b.number between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`

const listedBlock = { ...block, isSent: boolean }

const head = { chain: text, number: integer, hash: text }

/** What blocks are found by, with the code in the table. */
const keyKinds = { customerId: 1, interactionId: 2 } as const
type KeyKind = keyof typeof keyKinds

/** Of how many blocks the heads are found. With this limit, both engines use the index of times. */
const headBlocksMax = 50_000

/** How many expired blocks have one transaction. */
const removedMax = 100

export interface RecordStoreOptions<Kind extends AnswerRecord> {
  readonly tables: RecordTables
  /** What is changed with the same commit as a block is added whose answers are sent. */
  readonly withBlock?: (block: Block, records: readonly Kind[]) => readonly Call[]
}

export function createRecordStore<Kind extends AnswerRecord>(
  sql: Sql,
  { tables, withBlock = () => [] }: RecordStoreOptions<Kind>,
): RecordStore<Kind> {
  const { pairs, lookUp } = sql.dialect
  const { block: blocks, key: keyTable } = tables
  const addBlock = createBlockCalls(tables, sql.dialect)
  /** The next block of the chain says whether the answers were sent. Its first characters are read, and not all of its lines. */
  const selectListed = (time: string) => `${selectBlock(time)}, not exists (
    select 1 from ${blocks} n where n.chain = b.chain and n.number = b.number + 1
      and substr(n.lines, 1, ${unsentStart.length}) = '${unsentStart}')`
  // With the time of the key, a page continues the one before it, also after a block whose time was changed.
  const listedByKey = selectListed('k.time')
  const ofBlock = `b.chain = k.chain and b.number = k.number and ${isReadable}`
  const listAll = `select ${selectListed(ownTime)} from ${blocks} b
    where (b.time, b.chain, b.number) > ($1, $2, $3) and b.time < $4 and ${isReadable}
    order by b.time, b.chain, b.number limit $5`
  const listOf = `select ${listedByKey} from ${keyTable} k ${lookUp(blocks, 'b', ofBlock)}
    where k.kind = $6 and k.id = $7 and (k.time, k.chain, k.number) > ($1, $2, $3) and k.time < $4
    order by k.time, k.chain, k.number limit $5`
  const listNewest = `select ${listedByKey} from ${keyTable} k ${lookUp(blocks, 'b', ofBlock)}
    where k.kind = $5 and k.id = $6 and (k.time, k.chain, k.number) < ($1, $2, $3)
    order by k.time desc, k.chain desc, k.number desc limit $4`
  const removeKeys = `delete from ${keyTable}
    where (kind, id) in (select k.number, k.text from ${pairs('$1', '$2')})
      and time = $3 and chain = $4 and number = $5`

  const removeBlock = (
    { chain, number, time }: Position,
    records: readonly AnswerRecord[],
  ): readonly [Call, ...Call[]] => [
    [removeKeys, [...toKeyColumns(records), time, chain, number]],
    [`delete from ${blocks} where chain = $1 and number = $2`, [chain, number]],
  ]

  return {
    async append(block, records, isUnsent = false) {
      const disclosed = isUnsent ? [] : withBlock(block, records)
      await sql.inOrder(...addBlock(block, records), ...disclosed)
    },
    async test() {
      const block = makeTestBlock()
      const records = [testRecord]
      await sql.inOrder(...addBlock(block, records), ...removeBlock(block, records))
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
      sql.all(
        block,
        `select ${columns} from ${blocks} b where (b.chain, b.number) > ($1, $2) and ${isReadable}
         order by b.chain, b.number limit $3`,
        [after?.chain ?? '', after?.number ?? Number.MIN_SAFE_INTEGER - 1, limit],
      ),
    find: (chain, number) =>
      sql.first(block, `select ${columns} from ${blocks} b where b.chain = $1 and b.number = $2`, [
        chain,
        number,
      ]),
    async listHeads(now, seconds) {
      const newest = await sql.first(
        { time: optional(time) },
        `select max(time) from ${blocks} where time <= $1`,
        [now],
      )
      return sql.all(
        head,
        `select b.chain, b.number, b.hash
         from (select chain, max(number) as number
           from (select chain, number from ${blocks} b where time >= $1 and ${isReadable}
             order by time desc, chain desc, number desc limit $2) as newest
           group by chain) as k ${lookUp(blocks, 'b', ofBlock)}`,
        [(newest?.time ?? now).subtract({ seconds }), headBlocksMax],
      )
    },
    async remove(expired) {
      for (let start = 0; start < expired.length; start += removedMax) {
        const calls = expired
          .slice(start, start + removedMax)
          .flatMap((each) => removeBlock(each, parseRecords<AnswerRecord>(each)))
        await sql.inOrder(...(calls as [Call, ...Call[]]))
      }
    },
  }
}

/** Of no chain of a process. Each has a name of its own, so that tests of several processes do not wait for each other. */
function makeTestBlock(): Block {
  const chain = `test ${randomUUID()}`
  return { chain, number: 0, time: startOfTime, previous: '', hash: '', lines: '' }
}

const testRecord: AnswerRecord = {
  operation: 'test',
  interactionId: 'test',
  status: 200,
  accountIds: [],
}

const startOfTime = Temporal.Instant.fromEpochMilliseconds(0)
const endOfTime = Temporal.Instant.fromEpochMilliseconds(timeMax)

/** Returns a function that returns the statements that add a block, unless it exists. */
export function createBlockCalls({ block, key }: RecordTables, { pairs, isRowByRow }: Dialect) {
  const addBlock = `insert into ${block} (chain, number, time, previous, hash, lines)
    values ($1, $2, $3, $4, $5, $6) on conflict do nothing`
  const intoKeys = `insert into ${key} (id, kind, time, chain, number)`
  const addKey = `${intoKeys} values ($1, $2, $3, $4, $5) on conflict do nothing`
  const addKeys = `${intoKeys}
    select k.text, k.number, cast($3 as bigint), cast($4 as text), cast($5 as bigint)
    from ${pairs('$1', '$2')} on conflict do nothing`
  return (
    { chain, number, time, previous, hash, lines }: Block,
    records: readonly AnswerRecord[],
  ): readonly [Call, ...Call[]] => {
    const [ids, kinds] = toKeyColumns(records)
    // Converted once, and not for each key.
    const place = [time.epochMilliseconds, chain, number]
    const keys: readonly Call[] = isRowByRow
      ? ids.map((id, index) => [addKey, [id, kinds[index], ...place]])
      : [[addKeys, [ids, kinds, ...place]]]
    return [
      [addBlock, [chain, number, time, previous, hash, lines]],
      ...(records.length > 0 ? keys : []),
    ]
  }
}

/** What the block of the records is found by, without repetitions: the ids, and the kind of each. */
export function toKeyColumns(
  records: readonly AnswerRecord[],
): readonly [ids: string[], kinds: number[]] {
  const keys = (Object.entries(keyKinds) as [KeyKind, number][]).flatMap(([name, kind]) =>
    [...new Set(records.flatMap(({ [name]: id }) => (typeof id === 'string' ? id : [])))].map(
      (id) => [kind, id] as const,
    ),
  )
  return [keys.map(([, id]) => id), keys.map(([kind]) => kind)]
}
