import { createCorrectionTable } from '../../corrections.ts'
import type { DatabaseLayout } from '../../database.ts'
import {
  createAccountTables,
  createSharedTables,
  type TableDialect,
} from '../../platform/schema.ts'
import { createUsageTables } from '../../platform/usage-schema.ts'
import { createRecordTables, platformRecords, providerRecords } from '../../record-tables.ts'
import { partitionBits, partitionTable } from '../partition.ts'
import { createReplayTables } from '../replay/schema.ts'
import { createDistributedEntries } from './distributed-tables.ts'
import { createSearchIndex } from './search-index-tables.ts'

/** The layout that the first migration creates. It cannot be changed afterwards. */
export interface Layout {
  readonly layout: DatabaseLayout
  /** The number of partitions or shards of the entries, by account. */
  readonly partitions: number
}

const entryColumns = `account bigint not null,
    list smallint not null,
    has_own_time boolean not null, -- false: the time was assigned, as the record has none
    ordinal integer not null,
    time bigint not null,
    id text collate "C" not null,
    amount text collate "C",    -- a key that sorts like the number
    description text,           -- case-folded
    reference text,
    record text not null`

/** Texts that are compared have the collation "C": byte by byte, the same in every database. */
const dialect: TableDialect = {
  key: 'text collate "C"',
  smallint: 'smallint',
  bigint: 'bigint',
  boolean: 'boolean',
  false: 'false',
  sequence: 'bigint generated always as identity primary key',
  numberOptions: '',
  options: '',
}

/** The number of an account begins with its partition, derived from its id: a query by id names the table. */
const createDataTables = ({ partitions, layout }: Layout) => `
  ${createAccountTables(dialect, 'bigint primary key')}
  create sequence account_number;
  create function number_account() returns trigger language plpgsql as $$
    declare
      digest bytea := sha256(convert_to(new.id, 'UTF8'));
      partition bigint := (get_byte(digest, 0) * 256 + get_byte(digest, 1)) % ${partitions};
    begin
      new.number := (partition << ${partitionBits}) + nextval('account_number');
      return new;
    end $$;
  create trigger number_account before insert on account
    for each row execute function number_account();

  -- The lists of every account. An entry has an ordinal in its list, from the oldest: a page is one range of the index,
  -- and a total one subtraction.
  ${
    layout === 'citus'
      ? createDistributedEntries(entryColumns, partitions)
      : createPartitions(partitions) + createSearchIndex
  }
`

const createPartitions = (partitions: number) => `
  create table entry (
    ${entryColumns}
  ) partition by range (account);
  create index entry_ordinal on entry (account, list, ordinal);
  create unique index entry_id on entry (account, list, id);
  create index entry_time on entry (account, list, time, ordinal);
  ${Array.from(
    { length: partitions },
    (_, index) =>
      `create table ${partitionTable(index)} partition of entry
        for values from (${BigInt(index) << partitionBits}) to (${BigInt(index + 1) << partitionBits})
        with (autovacuum_vacuum_insert_scale_factor = 0.01);`,
  ).join('\n  ')}`

/** Each migration is applied once, in order, in its own transaction, and never changed after a release. */
export const migrations: readonly ((layout: Layout) => string)[] = [
  (layout) =>
    createDataTables(layout) +
    createReplayTables +
    createSharedTables(dialect) +
    createUsageTables(dialect) +
    createCorrectionTable(dialect) +
    createRecordTables(dialect, platformRecords) +
    createRecordTables(dialect, providerRecords),
]
