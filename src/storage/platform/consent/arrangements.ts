import type { ChangeReason, ConsentStatus } from '../../../contract/consent-statuses.ts'
import {
  type ArrangementQuery,
  type ArrangementStore,
  purgeMax,
  retentionMs,
  type StoredArrangement,
  versionsMax,
} from '../../../platform/consent/store.ts'
import {
  integer,
  json,
  oneOf,
  optional,
  type Sql,
  type Transaction,
  text,
  time,
  type Value,
  words,
} from '../../sql.ts'
import { toActor } from '../actor-columns.ts'
import { insert } from '../rows.ts'
import { listAccountChanges, recordAccounts } from './account-changes.ts'
import { createAmendment } from './amend-arrangement.ts'
import { expireArrangements, withdrawArrangement } from './end-arrangements.ts'
import { addReceipts } from './outbox.ts'

const stored =
  'id, third_party, customer, accounts, scopes, starts, ends, status, updated, version_of'
const arrangement = {
  id: text,
  thirdPartyId: text,
  customerId: text,
  accountIds: json<string[]>(),
  scopes: words,
  from: time,
  until: time,
  status: oneOf<ConsentStatus>(),
  updated: time,
  versionOf: optional(text),
}

const change = {
  time,
  status: oneOf<ConsentStatus>(),
  reason: oneOf<ChangeReason>(),
  actorId: optional(text),
  actorName: optional(text),
  actorIssuer: optional(text),
}

export function createArrangementStore(sql: Sql, announce: () => void): ArrangementStore {
  const amend = createAmendment(sql)
  const find = (id: string) =>
    sql.first(arrangement, `select ${stored} from arrangement where id = $1`, [id])

  return {
    async add(
      { id, thirdPartyId, customerId, accountIds, scopes, from, until },
      { isAmendment = false } = {},
    ) {
      const receipts = await sql.transaction(async (transaction) => {
        const parties = { thirdParty: thirdPartyId, customer: customerId }
        const data = { accounts: JSON.stringify(accountIds), scopes: scopes.join(' ') }
        const state = { starts: from, ends: until, status: 'active', updated: from }
        const row = { id, ...parties, ...data, ...state }
        const added = await transaction.run(...insert('arrangement', row, 'on conflict do nothing'))
        if (added === 1) {
          const first = { arrangement: id, time: from, status: 'active', reason: 'customer' }
          await transaction.run(...insert('arrangement_change', first))
        }
        await purge(transaction, sql, from.epochMilliseconds - retentionMs)
        if (added === 0 || isAmendment) return 0
        return addReceipts(transaction, sql.dialect, 'receipt_given', [id], from)
      })
      await expireArrangements(sql, from)
      if (receipts > 0) announce()
    },
    async find(id, now) {
      const found = await find(id)
      if (!found || !isOver(found, now)) return found
      await expireArrangements(sql, now)
      return asOf(now)((await find(id)) ?? found)
    },
    async listChanges(id) {
      const rows = await sql.all(
        change,
        `select time, status, reason, changed_by, changed_by_name, changed_by_issuer
         from arrangement_change where arrangement = $1 order by time, status`,
        [id],
      )
      return rows.map(({ actorId, actorName = '', actorIssuer, ...row }) => ({
        ...row,
        ...(actorId !== undefined && { by: toActor(actorId, actorName, actorIssuer) }),
      }))
    },
    async listVersions(id) {
      const newestFirst = await sql.all(
        arrangement,
        `select ${stored} from arrangement where version_of = $1
         order by updated desc, id limit ${versionsMax}`,
        [id],
      )
      return newestFirst.reverse()
    },
    listAccountChanges: (id) => listAccountChanges(sql, id),
    recordAccounts: (id, observed, now) => recordAccounts(sql, id, observed, now),
    async countActive(max, now) {
      const row = await sql.first(
        { active: integer },
        `select count(*) from (
           select 1 from arrangement ${sql.dialect.useIndex('arrangement_active')}
           where status = 'active' and ends > $1 limit $2) active`,
        [now, max],
      )
      return row?.active ?? 0
    },
    async list(selected, now) {
      await expireArrangements(sql, now)
      return (await sql.all(arrangement, ...selectPage(sql, selected))).map(asOf(now))
    },
    async amend(id, agreedId, now) {
      const isAmended = await amend(id, agreedId, now)
      if (isAmended) announce()
      return isAmended
    },
    async withdraw(id, reason, now, by) {
      const isWithdrawn = await withdrawArrangement(sql, id, reason, now, by)
      if (isWithdrawn) announce()
      return isWithdrawn
    },
  }
}

async function purge(transaction: Transaction, { dialect }: Sql, before: number): Promise<void> {
  const old = await transaction.all(
    { id: text },
    `select id from arrangement where updated <= $1 and status <> 'active'
     order by updated limit ${purgeMax} ${dialect.skipLocked}`,
    [before],
  )
  if (old.length === 0) return
  const ids = old.map(({ id }) => id)
  const { isOneOf } = dialect
  await transaction.run(`delete from arrangement where ${isOneOf('id', '$1')}`, [ids])
  for (const table of ['arrangement_change', 'account_change', 'disclosure', 'outbox']) {
    await transaction.run(`delete from ${table} where ${isOneOf('arrangement', '$1')}`, [ids])
  }
}

/**
 * Each combination of filters uses an index of its own. A customer has few arrangements, so only this column is looked up
 * for a customer: an expression is not looked up in an index.
 */
function selectPage({ dialect }: Sql, selected: ArrangementQuery): [string, Value[]] {
  const { customerId, thirdPartyId, status, updatedAfter, after, isNewestFirst, limit } = selected
  const { isEnded, isPresent } = selected
  const start = updatedAfter ? updatedAfter.epochMilliseconds + 1 : 0
  const position = after && [after.updated, after.id]
  // No id is empty.
  const first = isNewestFirst ? [start, ''] : (position ?? [start, ''])
  const last = (isNewestFirst && position) || [Number.MAX_SAFE_INTEGER, '']
  const values: Value[] = [...first, ...last, limit]
  const conditions = ['(updated, id) > ($1, $2)', '(updated, id) < ($3, $4)']
  const filter = (column: string, value: string | undefined) => {
    if (value !== undefined) conditions.push(`${column} = $${values.push(value)}`)
  }
  const plain = (column: string) => (customerId === undefined ? column : `(${column} || '')`)
  filter('customer', customerId)
  filter(plain('third_party'), thirdPartyId)
  filter(plain('status'), status)
  if (isEnded) conditions.push("status <> 'active'")
  if (isPresent) conditions.push('version_of is null')
  const direction = isNewestFirst ? 'desc' : 'asc'
  const isByBoth = customerId === undefined && thirdPartyId !== undefined && status !== undefined
  const hint = isByBoth ? dialect.useIndex('arrangement_third_party_status') : ''
  return [
    `select ${stored} from arrangement ${hint} where ${conditions.join(' and ')}
     order by updated ${direction}, id ${direction} limit $5`,
    values,
  ]
}

/** Whether an arrangement has expired, and this was not recorded yet. */
function isOver({ status, until }: StoredArrangement, now: Temporal.Instant): boolean {
  return status === 'active' && Temporal.Instant.compare(until, now) <= 0
}

const asOf =
  (now: Temporal.Instant) =>
  (stored: StoredArrangement): StoredArrangement =>
    isOver(stored, now) ? { ...stored, status: 'expired' } : stored
