import {
  listedMessagesMax,
  type MessageKind,
  type MessageState,
} from '../../../contract/consent-messages.ts'
import {
  countedMax,
  customersRecipient,
  givenUpMax,
  type OutboxStore,
} from '../../../platform/consent/outbox/store.ts'
import { withdrawnMax } from '../../../platform/consent/store.ts'
import {
  type Dialect,
  integer,
  nullable,
  oneOf,
  optional,
  type Sql,
  type Transaction,
  text,
  time,
} from '../../sql.ts'

const message = {
  arrangementId: text,
  kind: oneOf<MessageKind>(),
  state: oneOf<MessageState>(),
  created: time,
  attempts: integer,
  due: time,
  error: optional(text),
  settled: optional(time),
}

/** Adds the messages about the end of arrangements, to third parties with an address. */
export async function addRevocations(
  transaction: Transaction,
  { isOneOf }: Dialect,
  ids: readonly string[],
  now: Temporal.Instant,
): Promise<void> {
  await transaction.run(
    `insert into outbox (id, arrangement, kind, recipient, created, due, attempts, state)
     select a.id || ' revocation', a.id, 'revocation', t.id, cast($2 as bigint), cast($2 as bigint), 0, 'waiting'
     from arrangement a join third_party t on t.id = a.third_party
     where ${isOneOf('a.id', '$1')} and t.recipient_base_uri is not null on conflict do nothing`,
    [ids, now],
  )
}

/** Adds the receipts of a change of arrangements, if they are on. Returns how many they are. */
export async function addReceipts(
  transaction: Transaction,
  { isOneOf }: Dialect,
  kind: Exclude<MessageKind, 'revocation'>,
  ids: readonly string[],
  now: Temporal.Instant,
): Promise<number> {
  return transaction.run(
    `insert into outbox (id, arrangement, kind, recipient, created, due, attempts, state)
     select id || $3, id, $2, '${customersRecipient}', cast($4 as bigint), cast($4 as bigint), 0, 'waiting'
     from arrangement where ${isOneOf('id', '$1')}
       and exists (select 1 from consent_option where name = '${receiptsOption}')
     on conflict do nothing`,
    [ids, kind, ` ${kind} ${now.epochMilliseconds}`, now],
  )
}

/** Cancels the waiting messages to customers, or to a third party that was removed. */
export async function cancelMessages(
  sql: Sql,
  recipient: string,
  now: Temporal.Instant,
): Promise<void> {
  const next = `select id from outbox where recipient = $1 and state = 'waiting'
    order by due limit ${withdrawnMax} ${sql.dialect.forUpdate}`
  for (let count = withdrawnMax; count === withdrawnMax; ) {
    count = await sql.run(
      `update outbox set state = 'cancelled', settled = $2, lease = null where id in (${next})`,
      [recipient, now],
    )
  }
}

const receiptsOption = 'receipts'

export function createOutboxStore(sql: Sql): OutboxStore & { readonly announce: () => void } {
  const { isOneOf, skipLocked } = sql.dialect
  const listeners = new Set<() => void>()
  const tooOld = `select id from outbox
    where state = 'waiting' and created <= $1 order by created`

  return {
    async listQueues() {
      const queues = await sql.all(
        { recipient: text, baseUri: optional(text), due: nullable(time) },
        `select recipient, base_uri,
           (select min(due) from outbox where outbox.recipient = known.recipient and state = 'waiting')
         from (select id as recipient, recipient_base_uri as base_uri from third_party
               where recipient_base_uri is not null
               union all select '${customersRecipient}', null) as known`,
      )
      return queues.flatMap(({ due, ...queue }) => (due ? [{ ...queue, due }] : []))
    },
    claim: (recipient, limit, lease, now) =>
      sql.transaction(async (transaction) => {
        const rows = await transaction.all(
          {
            id: text,
            kind: oneOf<MessageKind>(),
            arrangementId: text,
            created: time,
            attempts: integer,
          },
          `select id, kind, arrangement, created, attempts + 1 from outbox
           where recipient = $1 and state = 'waiting' and due <= $2
           order by due limit $3 ${skipLocked}`,
          [recipient, now, limit],
        )
        await transaction.run(
          `update outbox set due = $2, lease = $3, attempts = attempts + 1
           where ${isOneOf('id', '$1')}`,
          [rows.map(({ id }) => id), lease.ends, lease.id],
        )
        return rows.map((row) => ({ ...row, lease: lease.id }))
      }),
    async settle({ id, lease }, { state, due, error, isInterrupted = false }, now) {
      await sql.run(
        `update outbox set state = $3, due = $4, error = coalesce($5, error), lease = null,
           settled = case $3 when 'waiting' then null else cast($6 as bigint) end,
           attempts = attempts - $7
         where id = $1 and ((lease = $2 and state = 'waiting')
           or ($3 = 'delivered' and state <> 'delivered'))`,
        [id, lease, state, due, error, now, Number(isInterrupted)],
      )
    },
    async giveUp(createdBefore, now) {
      const [found] = await sql.all({ id: text }, `${tooOld} limit 1`, [createdBefore])
      if (!found) return 0
      return sql.run(
        `update outbox set state = 'given_up', settled = $2, lease = null
         where id in (${tooOld} limit ${givenUpMax} ${skipLocked})`,
        [createdBefore, now],
      )
    },
    async listMessages(ids) {
      const rows = await sql.all(
        message,
        `select arrangement, kind, state, created, attempts, due, error, settled from (
           select outbox.*, row_number() over (partition by arrangement order by created desc, id) as place
           from outbox where ${isOneOf('arrangement', '$1')}) as numbered
         where place <= ${listedMessagesMax} order by arrangement, place desc`,
        [ids],
      )
      return new Map(
        [...Map.groupBy(rows, ({ arrangementId }) => arrangementId)].map(([id, found]) => [
          id,
          found.map(({ arrangementId: _arrangementId, ...rest }) => rest),
        ]),
      )
    },
    async readWaiting() {
      const [found] = await sql.all(
        { count: integer, oldest: optional(time) },
        `select count(*), min(created) from (
           select created from outbox where state = 'waiting' order by created limit ${countedMax}) as waiting`,
      )
      return found ?? { count: 0 }
    },
    async setReceipts(areOn, now) {
      const where = `consent_option where name = '${receiptsOption}'`
      const wereOn = (await sql.first({ name: text }, `select name from ${where}`)) !== undefined
      if (areOn && !wereOn) {
        await sql.run(
          `insert into consent_option (name) values ('${receiptsOption}') on conflict do nothing`,
        )
      }
      if (areOn || !wereOn) return
      await sql.run(`delete from ${where}`)
      await cancelMessages(sql, customersRecipient, now)
    },
    watch(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    announce() {
      for (const listener of listeners) listener()
    },
  }
}
