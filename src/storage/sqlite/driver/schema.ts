import { createCorrectionTable } from '../../corrections.ts'
import {
  createAccountTables,
  createSharedTables,
  type TableDialect,
} from '../../platform/schema.ts'
import { createUsageTables } from '../../platform/usage-schema.ts'
import { createRecordTables, platformRecords } from '../../record-tables.ts'

/** Recorded in every database, so that it is not mistaken for that of another program: "hold". */
export const applicationId = 0x686f6c64

const createEntryTables = `
  -- The lists of every account. The position of an entry combines its list and its ordinal in the list, from the
  -- oldest, in one number: a page is one range of the table, and a total one subtraction.
  create table entry (
    position integer primary key,
    list integer not null,
    time integer not null,
    id text not null,
    amount text,                -- a key that sorts like the number
    description text,           -- case-folded
    reference text,
    record text not null
  ) strict;
  create unique index entry_id on entry (list, id);
  create index entry_time on entry (list, time);

  -- The search index of long lists of transactions.
  create table entry_amounts (
    position integer primary key, -- of the list, with the number of the block instead of an ordinal
    amounts blob not null,
    places blob not null
  ) strict;
  create table entry_texts (position integer primary key, texts blob not null) strict;

  -- The identity of the replay file that belongs to the database, recorded when it is first served.
  create table replay_file (
    only integer primary key check (only = 1),
    id text not null
  ) strict;
`

export const dialect: TableDialect = {
  key: 'text',
  smallint: 'integer',
  bigint: 'integer',
  boolean: 'integer',
  false: '0',
  sequence: 'integer primary key',
  numberOptions: ' strict',
  options: ' strict, without rowid',
}

/** Each migration is applied once, in order, and never changed after a release. */
export const migrations: readonly string[] = [
  `pragma application_id = ${applicationId};
   ${createAccountTables(dialect, 'integer primary key')} ${createEntryTables}
   ${createSharedTables(dialect)} ${createUsageTables(dialect)}
   ${createCorrectionTable(dialect)} ${createRecordTables(dialect, platformRecords)}`,
]
