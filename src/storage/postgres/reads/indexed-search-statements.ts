import { listCodes } from '../../enum-codes.ts'
import { blockEntries, groupEntries } from '../../search-index.ts'
import type { Statement } from '../../statement.ts'
import { sliceBits } from '../driver/search-index-tables.ts'
import { type OneList, oneListParts } from './one-list-statements.ts'

/** How many slices of a text are compared. More would exclude few other groups. */
const slicesMax = 6

/** No more slices are compared once they are expected to leave a smaller share of the groups. */
const shareMin = 0.0005

/** A block with more groups that may match is read as a whole: seeking each group takes longer. */
const groupsMax = sliceBits / 2

/**
 * Searches of one list with an index. Each divides the window into pieces: ranges of entries
 * that are read, and, in a search by amount, entries that the index counts. The total is the sum of the pieces, and only
 * those on the page are put in order.
 */
export function indexedSearchStatements(one: OneList) {
  const { table, head, inList } = one
  const { parameter, offset, limit, list, isMatch, records } = oneListParts(one)
  /** Only transactions have an index. */
  const ofList = (table: string) =>
    `${table}.account = h.account and $4::smallint = ${listCodes.transaction}`
  /** The ranges between the blocks of a table: before each, and after the last. */
  const uncovered = (blocks: string) => `
        select (block + 1) * ${blockEntries} + 1 as low,
          lead(block * ${blockEntries}, 1, last.ordinal) over (order by block) as high
        from (
          select block from ${blocks} union all select (first.ordinal - 1) / ${blockEntries} - 1
        ) covered`
  /** The matching ordinals of each range, newest first. */
  const scanned = `
      select r.low, cardinality(matching.ordinals) as count, matching.ordinals, null::integer as codes_before
      from (
        select greatest(low, first.ordinal) as low, least(high, last.ordinal) as high from scan
      ) r
      cross join lateral (
        select array(
          select e.ordinal from ${table} e where ${inList} and e.ordinal between r.low and r.high
            and ${isMatch}
          order by e.ordinal desc) as ordinals
        offset 0
      ) matching
      where r.low <= r.high`
  const search = (pieces: string, ordinals: string) => `select ${head}, found.total,
      ${records('found.ordinals')}
    from ${list}
    left join lateral (
      with ${pieces},
      placed as materialized (
        select *, sum(count) over (order by low desc) - count as before from piece where count > 0
      )
      select (select sum(count) from placed) as total, array(
        select o.ordinal from placed p
        cross join lateral (
          select ${ordinals} as ordinals,
            least(p.count, greatest(0, ${offset} - p.before))::integer as skipped,
            least(p.count, ${offset} + ${limit} - p.before)::integer as last
        ) part
        cross join lateral unnest(part.ordinals[part.skipped + 1 : part.last]) as o(ordinal)
        where p.before < ${offset} + ${limit} and p.before + p.count > ${offset}
        order by o.ordinal desc) as ordinals
      offset 0
    ) found on true`

  const [parts, starts] = [parameter(7, 'smallint[]'), parameter(8, 'integer[]')]
  const slice = (table: string) => `substring(${table}.slices from w.start for ${sliceBits})`
  const [least, greatest] = [parameter(7, 'integer'), parameter(8, 'integer')]
  return {
    /** The last two parameters are the parts and the first bits of the slices of the text, if it has any. */
    search: {
      isPage: true,
      isLong: true,
      text: search(
        `wanted as materialized (
        select part, start from (
          select w.part, w.start, row_number() over sparsest as place, sum(ln((n.bits + 1) / ${sliceBits + 1}.0))
            over (sparsest rows between unbounded preceding and 1 preceding) as share
          from unnest(${parts}, ${starts}) as w(part, start)
          cross join lateral (
            select bit_count(${slice('t')}) as bits from entry_texts t
            where ${ofList('t')} and t.part = w.part order by t.block desc limit 1
          ) n
          window sparsest as (order by n.bits, w.part, w.start)
        ) s
        where place <= ${slicesMax} and (share is null or share > ln(${shareMin}))
      ),
      candidate as materialized (
        select block, groups, bit_count(groups) as count from (
          select s.block, bit_and(s.groups) as groups
          from wanted w cross join lateral (
            select t.block, ${slice('t')} as groups from entry_texts t
            where ${ofList('t')} and t.part = w.part and t.block between
              (first.ordinal - 1) / ${blockEntries} and (last.ordinal - 1) / ${blockEntries}
            offset 0
          ) s
          group by s.block
          offset 0
        ) block
      ),
      scan as (${uncovered('candidate')}
        union all
        select block * ${blockEntries} + 1, (block + 1) * ${blockEntries}
        from candidate where count > ${groupsMax}
        union all
        select g.low, g.low + ${groupEntries - 1} from (
          select (blocks[bit / ${sliceBits} + 1] * ${blockEntries}
            -- Bits are stored from the last of each byte.
            + ((bit % ${sliceBits}) # 7) * ${groupEntries} + 1)::integer as low
          from (
            select few.blocks, sum(length(z.zeros) + 1) over (order by z.place) - 1 as bit
            from (
              select string_agg(groups::text, '' order by block) as groups,
                array_agg(block order by block) as blocks
              from candidate where count between 1 and ${groupsMax}
            ) few
            cross join lateral unnest(string_to_array(few.groups, '1')) with ordinality as z(zeros, place)
          ) one
        ) g
        where g.low is not null
      ),
      piece as (${scanned}
      )`,
        'p.ordinals',
      ),
    },

    /** Without a text. The last two parameters are the codes of the bounds. */
    searchAmounts: {
      isPage: true,
      isLong: true,
      text: search(
        `indexed as materialized (
        select block, before, last from (
          select s.block, s.codes, width_bucket(${least} - 1, s.codes) as before,
            width_bucket(${greatest}, s.codes) as last
          from (
            -- Fetches the codes once.
            select s.block, s.codes || '{}'::integer[] as codes from entry_amounts s
            where ${ofList('s')}
              and s.block between (first.ordinal + ${blockEntries - 2}) / ${blockEntries}
                and last.ordinal / ${blockEntries} - 1
            offset 0
          ) s
          offset 0
        ) s
        -- Several amounts may have an odd code.
        where not (before < last and (${least} % 2 <> 0 and codes[before + 1] = ${least}
          or ${greatest} % 2 <> 0 and codes[last] = ${greatest}))
      ),
      scan as (${uncovered('indexed')}
      ),
      piece as (${scanned}
      union all
      select block * ${blockEntries} + 1, last - before, null, before from indexed
      )`,
        `coalesce(p.ordinals, (
            select array(
              select p.low + o.place
              from unnest(s.places[p.codes_before + 1 : p.codes_before + p.count]) as o(place)
              order by 1 desc)
            from entry_amounts s where ${ofList('s')} and s.block = p.low / ${blockEntries}))`,
      ),
    },
  } as const satisfies Record<string, Statement>
}
