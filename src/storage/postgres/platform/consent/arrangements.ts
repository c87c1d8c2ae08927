import type pg from 'pg'
import type { ChangeReason, ConsentStatus } from '../../../../contract/consent-statuses.ts'
import {
  type ArrangementStore,
  purgeMax,
  retentionMs,
  type StoredArrangement,
  withdrawnMax,
} from '../../../../platform/consent/store.ts'
import { boundPage, type ListFilter, listFilters } from '../../../consent-lists.ts'
import { escapeNul, unescapeNul } from '../../driver/escape-nul.ts'
import { runInOrder, runStatement } from '../../driver/statements.ts'
import { openAmendments } from './amend-arrangement.ts'

const columns = 'id, third_party, customer, accounts, scopes, starts, ends, status, updated'

/** Arrays in this and other statements, since a join might not use the index, depending on the statistics. */
const purge = {
  name: 'purge-arrangements',
  text: `with old as (
      delete from arrangement where id = any(array(
        select id from arrangement where updated <= $1 and status <> 'active'
        order by updated limit ${purgeMax} for update skip locked))
      returning id)
    delete from arrangement_change where arrangement = any(array(select id from old))`,
}
const insert = {
  name: 'add-arrangement',
  text: `with added as (
      insert into arrangement values ($1, $2, $3, $4, $5, $6, $7, 'active', $6)
      on conflict do nothing returning id)
    insert into arrangement_change select id, $6, 'active', 'customer' from added`,
}
const find = {
  name: 'find-arrangement',
  text: `select ${columns} from arrangement where id = $1`,
}
const listChanges = {
  name: 'list-arrangement-changes',
  text: 'select time, status, reason from arrangement_change where arrangement = $1 order by time, status',
}
/** An expression is not looked up in an index. */
const createList = (filters: readonly ListFilter[], direction: 'asc' | 'desc') => ({
  name: ['list-arrangements', ...filters.map(({ column }) => column), direction].join('-'),
  text: `select ${columns} from arrangement
    where ${[
      '(updated, id) > ($1, $2)',
      '(updated, id) < ($3, $4)',
      ...filters.map(
        ({ column, isIndexed }, index) =>
          `${isIndexed ? column : `(${column} || '')`} = $${index + 6}`,
      ),
    ].join(' and ')}
    order by updated ${direction}, id ${direction} limit $5`,
})
const expire = {
  name: 'expire-arrangements',
  text: `with over as (
      update arrangement set status = 'expired', updated = $1 where id = any(array(
        select id from arrangement where status = 'active' and ends <= $1
        order by ends limit ${withdrawnMax} for update skip locked))
      returning id, ends),
    changes as (
      insert into arrangement_change select id, ends, 'expired', 'sharing_ended' from over),
    tokens as (delete from artifact where grant_id = any(array(select id from over)))
    select count(*) from over`,
}
const isActive = `status = 'active' and ends > $2`
const withdrawSelected = `ended as (
      update arrangement set status = 'withdrawn', updated = $2
      where id = any(array(select id from selected)) and ${isActive} returning id),
    changes as (
      insert into arrangement_change select id, $2, 'withdrawn', $3 from ended),
    tokens as (delete from artifact where grant_id = any(array(select id from ended)))`
/** A token that is issued at the same time is not valid either: it is found only while its arrangement is active. */
const withdraw = {
  name: 'withdraw-arrangement',
  text: `with selected as (select $1::text id), ${withdrawSelected} select count(*) from ended`,
}
/**
 * In order of the last change: those that were withdrawn are behind the ones that are next. Locked in order of the IDs,
 * as amendments lock them: otherwise, the two could wait for each other.
 */
const withdrawSome = {
  name: 'withdraw-arrangements',
  text: `with next as (
      select id, updated from arrangement where third_party = $1 and updated >= $4 and ${isActive}
      order by updated, id limit ${withdrawnMax}),
    selected as (
      select id from arrangement where id = any(array(select id from next)) order by id for update),
    ${withdrawSelected} select count(*), max(updated) from next`,
}

/** Withdraws the arrangements of a third party, which must have been removed. Returns how many they were. */
export async function withdrawAll(pool: pg.Pool, thirdParty: string, now: number): Promise<number> {
  for (let total = 0, start = '0'; ; ) {
    const values = [thirdParty, now, 'third_party_removed', start]
    const [[count, last] = []] = await runStatement(pool, withdrawSome, values)
    total += Number(count)
    if (Number(count) < withdrawnMax) return total
    start = last ?? start
  }
}

export function openArrangements(pool: pg.Pool): ArrangementStore {
  /** Records that some arrangements have expired, and returns how many. They are not active even before this is recorded. */
  const expireSome = async (now: number): Promise<number> => {
    const [[count] = []] = await runStatement(pool, expire, [now])
    return Number(count)
  }
  return {
    async add({ id, thirdPartyId, customerId, accountIds, scopes, from, until }) {
      const start = from.epochMilliseconds
      await runInOrder(pool, [
        [
          insert,
          [
            id,
            thirdPartyId,
            escapeNul(customerId),
            JSON.stringify(accountIds),
            scopes.join(' '),
            start,
            until.epochMilliseconds,
          ],
        ],
        [purge, [start - retentionMs]],
      ])
      await expireSome(start)
    },
    async find(id, { epochMilliseconds: now }) {
      const read = async () => (await runStatement(pool, find, [escapeNul(id)]))[0]
      const row = await read()
      if (!row || !isOver(row, now)) return row && toArrangement(row, now)
      await expireSome(now)
      return toArrangement((await read()) ?? row, now)
    },
    async listChanges(id) {
      const rows = await runStatement(pool, listChanges, [escapeNul(id)])
      return rows.map(([time, status, reason]) => ({
        time: toInstant(time),
        status: status as ConsentStatus,
        reason: reason as ChangeReason,
      }))
    },
    async list(selected, now) {
      while ((await expireSome(now.epochMilliseconds)) > 0);
      const filters = listFilters(selected)
      const { start, end } = boundPage(selected)
      const statement = createList(filters, selected.isNewestFirst ? 'desc' : 'asc')
      const rows = await runStatement(pool, statement, [
        start.updated,
        escapeNul(start.id),
        end.updated,
        escapeNul(end.id),
        selected.limit,
        ...filters.map(({ value }) => escapeNul(value)),
      ])
      return rows.map((row) => toArrangement(row, now.epochMilliseconds))
    },
    amend: openAmendments(pool),
    async withdraw(id, reason, now) {
      const values = [escapeNul(id), now.epochMilliseconds, reason]
      const [[count] = []] = await runStatement(pool, withdraw, values)
      return count === '1'
    },
  }
}

type Cell = string | null | undefined

function toInstant(text: Cell): Temporal.Instant {
  return Temporal.Instant.fromEpochMilliseconds(Number(text))
}

/** Whether an arrangement has expired, and this was not recorded yet. */
function isOver([, , , , , , ends, status]: readonly Cell[], now: number): boolean {
  return status === 'active' && Number(ends) <= now
}

function toArrangement(row: readonly Cell[], now: number): StoredArrangement {
  const [id, thirdPartyId, customerId, accounts, scopes, starts, ends, status, updated] = row
  return {
    id: id ?? '',
    thirdPartyId: thirdPartyId ?? '',
    customerId: unescapeNul(customerId ?? ''),
    accountIds: JSON.parse(accounts ?? '[]'),
    scopes: (scopes ?? '').split(' '),
    from: toInstant(starts),
    until: toInstant(ends),
    status: isOver(row, now) ? 'expired' : (status as ConsentStatus),
    updated: toInstant(updated),
  }
}
