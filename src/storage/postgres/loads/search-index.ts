import { listCodes } from '../../enum-codes.ts'
import {
  addAnyText,
  addEntry,
  type BlockIndex,
  blockEntries,
  createIndex,
  type IndexedEntry,
  sortAmounts,
} from '../../search-index.ts'
import { partCount, sliceBits, slicesPerPart } from '../driver/search-index-tables.ts'
import { isReplaced } from './count-lines.ts'
import type { Run } from './run.ts'

/** As many of the newest entries are not indexed: most late entries are placed among them. */
const newestEntries = 256

/** How often an appended entry leads to a search for blocks without an index. */
const appendedEntries = 64

const list = listCodes.transaction

/** SQL for whether an appended entry may complete a block. */
export const mayCompleteBlock = `list = ${list} and ordinal >= ${blockEntries + newestEntries}
  and ordinal % ${appendedEntries} = 0`

const changedAccounts = `
  select account from needs_reorder where list = ${list}
  union select account from change where list = ${list} and outcome = ${isReplaced}`

/** Blocks without an index, at most `$1`. */
const findBlocks = (accounts: string) => `
  select c.account, missing.block from (${accounts}) c
  cross join lateral (
    select e.ordinal from entry e where e.account = c.account and e.list = ${list}
    order by e.ordinal desc limit 1) newest
  cross join lateral (
    select b.block from generate_series(0, (newest.ordinal - ${newestEntries}) / ${blockEntries} - 1) as b(block)
    where not exists (select from entry_texts t
      where t.account = c.account and t.part = 0 and t.block = b.block)
    order by b.block) missing
  limit $1::bigint`

/** Longer texts are not indexed. A line of a load may have megabytes. */
const textBytesMax = 4096

/** One value: thousands of rows would take longer. */
const readBlock = `
  select array_to_json(array(
    select case when greatest(octet_length(description), octet_length(reference)) > ${textBytesMax}
      then array[amount, null, null, 'long'] else array[amount, description, reference, null] end
    from entry
    where account = $1::bigint and list = ${list} and ordinal > $2::integer
      and ordinal <= $2::integer + ${blockEntries}
    order by ordinal))::text as entries`

const writeAmounts = `
  insert into entry_amounts (account, block, codes, places)
  values ($1::bigint, $2::integer, $3::integer[], $4::smallint[])`

/** In the binary format. */
const writeTexts = `
  insert into entry_texts (account, block, part, slices) values ${Array.from(
    { length: partCount },
    (_, part) => `($1::bigint, $2::integer, ${part}, $${3 + part}::bit varying)`,
  ).join()}`

/** Indexes all blocks that are missing in the lists that a merge has changed, or some. Returns how many. */
export function indexChanged(run: Run, blocksMax?: number): Promise<number> {
  return indexBlocks(run, findBlocks(changedAccounts), [blocksMax ?? null])
}

export function indexAppended(
  run: Run,
  accounts: readonly string[],
  blocksMax: number,
): Promise<number> {
  const find = findBlocks('select unnest($2::bigint[]) as account')
  return indexBlocks(run, find, [blocksMax, accounts])
}

/** The last value is null unless a text is too long. */
type ReadEntry = readonly [...IndexedEntry, long: string | null]

async function indexBlocks(run: Run, find: string, values: unknown[]): Promise<number> {
  const blocks: { account: string; block: number }[] = (await run(find, values)).rows
  const read = async (block: (typeof blocks)[number] | undefined): Promise<ReadEntry[]> => {
    if (!block) return []
    const { rows } = await run(readBlock, [block.account, block.block * blockEntries])
    return JSON.parse(rows[0].entries)
  }
  let next = read(blocks[0])
  for (const [index, { account, block }] of blocks.entries()) {
    const entries = await next
    // The server reads the next block meanwhile. If this one fails, that one does too.
    next = read(blocks[index + 1])
    next.catch(() => {})
    const { amounts, texts } = indexEntries(entries)
    const sorted = sortAmounts(amounts)
    const arrays = [sorted.amounts, sorted.places].map((values) => `{${values.join()}}`)
    await run(writeAmounts, [account, block, ...arrays])
    await run(writeTexts, [account, block, ...toTextRows(texts)])
  }
  return blocks.length
}

function indexEntries(entries: readonly ReadEntry[]): BlockIndex {
  const block = createIndex(blockEntries)
  for (const [index, [amount, description, reference, long]] of entries.entries()) {
    addEntry(block, index, [amount, description, reference])
    if (long !== null) addAnyText(block, index)
  }
  return block
}

/** Each is the number of bits, and the bits. */
function toTextRows(texts: Uint32Array): Buffer[] {
  const bytes = Buffer.from(texts.buffer)
  const partBytes = (slicesPerPart * sliceBits) / 8
  return Array.from({ length: partCount }, (_, part) => {
    const bits = bytes.subarray(part * partBytes, (part + 1) * partBytes)
    const count = Buffer.alloc(4)
    count.writeInt32BE(bits.length * 8)
    return Buffer.concat([count, bits])
  })
}
