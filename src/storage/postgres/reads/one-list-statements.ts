import type { DescribedStatement } from '../../statement.ts'

/**
 * Lists of entries. The bounds of a time window are two seeks, the total is their difference, and a page is one range of
 * ordinals: its cost does not depend on the page number.
 */

/** The oldest entry of a list at or after a time (or just after it), and the newest at or before one. */
export function oldest(
  list: string,
  comparison: '>=' | '>',
  time: string,
  table = 'entry',
): string {
  return `(select e.ordinal, e.time from ${table} e where ${list} and e.time ${comparison} ${time}
      order by e.time, e.ordinal limit 1)`
}

export function newest(list: string, time: string, table = 'entry'): string {
  return `(select e.ordinal, e.time from ${table} e where ${list} and e.time <= ${time}
      order by e.time desc, e.ordinal desc limit 1)`
}

/** Entries by ordinals, newest first. The inner order makes the planner use their index, however long the list is. */
export function range(list: string, low: string, high: string, table = 'entry'): string {
  return `(select e.ordinal, e.time, e.id, e.record from ${table} e
      where ${list} and e.ordinal >= ${low} and e.ordinal <= ${high} order by e.ordinal desc offset 0)`
}

/** How a statement on one list finds the list, what its first column is, and the numbers of its parameters. */
export interface OneList {
  readonly table: string
  readonly head: string
  readonly from: string
  readonly inList: string
  /** The first of: oldest and newest time, offset, limit, least and greatest amount, text. */
  readonly first: number
}

/** SQL for the parameters, the oldest and the newest entry in the window, and the condition of the filter. */
export function oneListParts({ table, from, inList, first }: OneList) {
  const parameter = (index: number, type: string) => `$${first + index}::${type}`
  const [minimum, maximum, text] = [
    parameter(4, 'text'),
    parameter(5, 'text'),
    parameter(6, 'text'),
  ]
  return {
    parameter,
    offset: parameter(2, 'bigint'),
    limit: parameter(3, 'bigint'),
    list: `${from}
    left join lateral ${oldest(inList, '>=', parameter(0, 'bigint'), table)} first on true
    left join lateral ${newest(inList, parameter(1, 'bigint'), table)} last on true`,
    isMatch: `(${minimum} is null or e.amount >= ${minimum})
          and (${maximum} is null or e.amount <= ${maximum})
          and (${text} is null or strpos(e.description collate "C", ${text}) > 0
            or strpos(e.reference collate "C", ${text}) > 0)`,
    /** The records of ordinals, in their order. */
    records: (ordinals: string) => `array_to_string(array(
        select e.record from unnest(${ordinals}) with ordinality as wanted(ordinal, place)
        cross join lateral ${range(inList, 'wanted.ordinal', 'wanted.ordinal + 0', table)} e
        order by wanted.place), ',')`,
  }
}

export function listStatement(one: OneList): DescribedStatement {
  const { table, head, inList } = one
  const { offset, limit, list } = oneListParts(one)
  return {
    isPage: true,
    text: `select ${head}, greatest(0, last.ordinal - first.ordinal + 1),
      array_to_string(array(
        select e.record from ${table} e where ${inList}
          and e.ordinal >= first.ordinal and e.ordinal > last.ordinal - ${offset} - ${limit}
          and e.ordinal <= last.ordinal - ${offset}
        order by e.ordinal desc), ',')
    from ${list}`,
  }
}

/** With a filter. Reads every entry of the time window. */
export function searchStatement(one: OneList): DescribedStatement {
  const { table, head, inList } = one
  const { offset, limit, list, isMatch, records } = oneListParts(one)
  /** The bounds of an array are integers. */
  const bound = (place: string) => `least(${place}, cardinality(matching.ordinals))::integer`
  return {
    isPage: true,
    isLong: true,
    text: `select ${head}, cardinality(matching.ordinals),
      ${records(`matching.ordinals[${bound(offset)} + 1 : ${bound(`${offset} + ${limit}`)}]`)}
    from ${list}
    left join lateral (
      select array(
        select e.ordinal from ${table} e where ${inList}
          and e.ordinal between first.ordinal and last.ordinal
          and ${isMatch}
        order by e.ordinal desc) as ordinals
      offset 0
    ) matching on true`,
  }
}
