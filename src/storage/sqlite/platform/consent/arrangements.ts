import type { DatabaseSync } from 'node:sqlite'
import type { ChangeReason } from '../../../../contract/consent-statuses.ts'
import {
  type ArrangementChange,
  type ArrangementStore,
  purgeMax,
  retentionMs,
  type StoredArrangement,
  withdrawnMax,
} from '../../../../platform/consent/store.ts'
import { boundPage, type ListFilter, listFilters } from '../../../consent-lists.ts'
import { command, type Query, query } from '../../driver/statements.ts'
import type { Write } from '../../driver/write-queue.ts'
import { openAmendments } from './amend-arrangement.ts'

interface Row {
  readonly id: string
  readonly third_party: string
  readonly customer: string
  readonly accounts: string
  readonly scopes: string
  readonly starts: number
  readonly ends: number
  readonly status: StoredArrangement['status']
  readonly updated: number
}

interface ChangeRow extends Pick<ArrangementChange, 'status' | 'reason'> {
  readonly time: number
}

export interface SqliteArrangements extends ArrangementStore {
  /** Withdraws the arrangements of a third party, which must have been removed. Returns how many they were. */
  withdrawAll(thirdPartyId: string, now: number): Promise<number>
}

export function openArrangements(database: DatabaseSync, write: Write): SqliteArrangements {
  const insert = command(
    database,
    `insert into arrangement values (?, ?, ?, ?, ?, ?, ?, 'active', ?) on conflict do nothing`,
  )
  const insertChange = command(
    database,
    'insert into arrangement_change values (?, ?, ?, ?) on conflict do nothing',
  )
  const find = query<Row>(database, 'select * from arrangement where id = ?')
  const changes = query<ChangeRow>(
    database,
    'select time, status, reason from arrangement_change where arrangement = ? order by time, status',
  )
  const lists = new Map<string, Query<Row>>()
  const prepareList = (filters: readonly ListFilter[], direction: 'asc' | 'desc') => {
    const indexed = filters.filter(({ isIndexed }) => isIndexed).map(({ column }) => column)
    const conditions = filters.map(({ column }) => `${column} = ?`)
    // Named, since SQLite would choose another index without statistics.
    const text = `select * from arrangement
      indexed by arrangement_${indexed.join('_') || 'updated'}
      where ${[...conditions, '(updated, id) > (?, ?)', '(updated, id) < (?, ?)'].join(' and ')}
      order by updated ${direction}, id ${direction} limit ?`
    const list = lists.get(text) ?? query<Row>(database, text)
    lists.set(text, list)
    return list
  }
  const expired = query<{ readonly id: string; readonly ends: number }>(
    database,
    `select id, ends from arrangement indexed by arrangement_active
     where status = 'active' and ends <= ? order by ends limit ${withdrawnMax}`,
  )
  const end = command(
    database,
    `update arrangement set status = ?, updated = ? where id = ? and status = 'active'`,
  )
  const removeTokens = command(database, 'delete from artifact where grant_id = ?')
  // In order of the last change: those that were withdrawn are behind the ones that are next.
  const ofThirdParty = query<{ readonly id: string; readonly updated: number }>(
    database,
    `select id, updated from arrangement
     where third_party = ? and updated >= ? and status = 'active' and ends > ?
     order by updated, id limit ${withdrawnMax}`,
  )
  const old = query<{ readonly id: string }>(
    database,
    `select id from arrangement where updated <= ? and status <> 'active' order by updated limit ${purgeMax}`,
  )
  const remove = command(database, 'delete from arrangement where id = ?')
  const removeChanges = command(database, 'delete from arrangement_change where arrangement = ?')

  const purge = (now: number): void => {
    for (const { id } of old.all(now - retentionMs)) {
      removeChanges.run(id)
      remove.run(id)
    }
  }
  /** Records that arrangements have expired. They are not active even before this is recorded. */
  const expire = async (now: number): Promise<void> => {
    while (expired.first(now)) {
      await write(() => {
        for (const { id, ends } of expired.all(now)) {
          end.run('expired', now, id)
          insertChange.run(id, ends, 'expired', 'sharing_ended')
          removeTokens.run(id)
        }
      })
    }
  }
  const withdraw = (id: string, reason: ChangeReason, now: number): boolean => {
    const row = find.first(id)
    if (!row || row.ends <= now || end.run('withdrawn', now, id).changes === 0) return false
    insertChange.run(id, now, 'withdrawn', reason)
    removeTokens.run(id)
    return true
  }

  return {
    async add({ id, thirdPartyId, customerId, accountIds, scopes, from, until }) {
      const start = from.epochMilliseconds
      const accounts = JSON.stringify(accountIds)
      const ends = until.epochMilliseconds
      await write(() => {
        purge(start)
        insert.run(id, thirdPartyId, customerId, accounts, scopes.join(' '), start, ends, start)
        insertChange.run(id, start, 'active', 'customer')
      })
      await expire(start)
    },
    async find(id, { epochMilliseconds: now }) {
      const row = find.first(id)
      if (!row || !isOver(row, now)) return row && toArrangement(row, now)
      await expire(now)
      return toArrangement(find.first(id) ?? row, now)
    },
    async listChanges(id) {
      return changes.all(id).map(({ time, ...change }) => ({ ...change, time: instant(time) }))
    },
    async list(selected, now) {
      await expire(now.epochMilliseconds)
      const filters = listFilters(selected)
      const { start, end } = boundPage(selected)
      const rows = prepareList(filters, selected.isNewestFirst ? 'desc' : 'asc').all(
        ...filters.map(({ value }) => value),
        ...[start.updated, start.id, end.updated, end.id, selected.limit],
      )
      return rows.map((row) => toArrangement(row, now.epochMilliseconds))
    },
    amend: openAmendments(database, write),
    async withdraw(id, reason, now) {
      return write(() => withdraw(id, reason, now.epochMilliseconds))
    },
    async withdrawAll(thirdPartyId, now) {
      for (let total = 0, start = 0; ; ) {
        const ended = await write(() => {
          const rows = ofThirdParty.all(thirdPartyId, start, now)
          for (const { id } of rows) withdraw(id, 'third_party_removed', now)
          return rows
        })
        total += ended.length
        if (ended.length < withdrawnMax) return total
        start = ended.at(-1)?.updated ?? start
      }
    },
  }
}

const instant = Temporal.Instant.fromEpochMilliseconds

/** Whether an arrangement has expired, and this was not recorded yet. */
function isOver({ status, ends }: Row, now: number): boolean {
  return status === 'active' && ends <= now
}

function toArrangement(row: Row, now: number): StoredArrangement {
  return {
    id: row.id,
    thirdPartyId: row.third_party,
    customerId: row.customer,
    accountIds: JSON.parse(row.accounts),
    scopes: row.scopes.split(' '),
    from: instant(row.starts),
    until: instant(row.ends),
    status: isOver(row, now) ? 'expired' : row.status,
    updated: instant(row.updated),
  }
}
