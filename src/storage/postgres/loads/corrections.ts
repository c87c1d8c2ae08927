import { type EntrySource, keyColumns, listCorrections, selectSeen } from '../../corrections.ts'
import { dialect } from '../driver/sql.ts'
import type { Merging } from './run.ts'

/** With both bounds, PostgreSQL reads one entry of the index by id. */
const stored: EntrySource = {
  table: 'entry',
  isEntry: 'e.account = a.number and e.list = k.list and e.id >= k.id and e.id <= k.id',
}

/** Entries on data nodes are copied to the coordinator. */
const fetched: EntrySource = {
  table: 'corrected_entry',
  isEntry: 'e.account = a.number and e.list = k.list and e.id = k.id',
}
export const createCorrectedEntries = `
  create temp table corrected_entry (
    account bigint not null, list smallint not null, id text collate "C" not null,
    time bigint not null, record text not null, primary key (account, list, id)
  );`
const fetchEntries = [
  'delete from corrected_entry',
  `insert into merge_correction (account, list, id)
   select distinct a.number, k.list, k.id from staged_correction k join account a on a.id = k.account
   where k.list > 0`,
  `insert into corrected_entry
   select e.account, e.list, e.id, e.time, e.record from merge_correction k
   join entry e on e.account = k.account and e.list = k.list and e.id = k.id`,
  'delete from merge_correction',
]

const keys = `(select distinct ${keyColumns.join()} from staged_correction)`

/** Before the first line is merged. */
export async function readCorrected({ send, staging, isDistributed }: Corrections): Promise<void> {
  if (!staging.has('staged_correction')) return
  if (isDistributed) for (const sql of fetchEntries) await send(sql)
  await send(`insert into corrected ${selectSeen(keys, isDistributed ? fetched : stored)}`)
}

/** Lines of owners that were rejected correct nothing. */
const deleteRejected = `
  delete from corrected c where not exists (select from staged_correction s
    where ${keyColumns.map((name) => `s.${name} = c.${name}`).join(' and ')}
      and s.place not in (select place from rejected_line))`

/** After the last one. */
export async function writeCorrections({
  send,
  staging,
  isDistributed,
}: Corrections): Promise<void> {
  if (!staging.has('staged_correction')) return
  if (staging.hasOwners()) await send(deleteRejected)
  if (isDistributed) for (const sql of fetchEntries) await send(sql)
  await send(listCorrections(isDistributed ? fetched : stored, dialect.now))
}

type Corrections = Pick<Merging, 'send' | 'staging' | 'isDistributed'>
