import type { DatabaseLayout } from '../../database.ts'
import { createSharedTables } from '../../platform/schema.ts'
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
const createDataTables = ({ partitions, layout }: Layout) => `
  create table customer (
    number bigint generated always as identity primary key,
    id text collate "C" not null unique,
    email text collate "C",     -- the key for a search by e-mail
    match text,                 -- the result of a search by e-mail
    record text,                -- null: a placeholder, or removed
    email_hash text collate "C", -- of the person who has or had the id; null: a placeholder
    name_hash text collate "C"
  );
  create index customer_email on customer (email, id) where email is not null;

  -- The number of an account begins with the partition of its entries, which is derived from the account id: a query by
  -- id names the table of the partition (partition.ts).
  create table account (
    number bigint primary key,
    id text collate "C" not null unique,
    kind smallint not null default 0, -- 0: a placeholder, or removed
    is_open boolean not null default false,
    category text,
    created bigint not null default 0,
    is_owned_text text,         -- isOwned in the record itself
    shareable text,
    head text,
    tail text,
    detail text
  );
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

  create table holder (
    customer bigint not null,
    account bigint not null,
    is_owned boolean not null,
    primary key (customer, account)
  );
  create index holder_account on holder (account);

  create table balance (account bigint primary key, record text not null);
  create table contact (
    account bigint primary key,
    kind smallint not null,     -- of the account; 0: it does not exist, and may be of either kind
    status text not null,
    record text not null
  );

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

const sharedTables = createSharedTables({
  key: 'text collate "C"',
  bigint: 'bigint',
  boolean: 'boolean',
  sequence: 'bigint generated always as identity primary key',
  options: '',
})

/** Each migration is applied once, in order, in its own transaction, and never changed after a release. */
export const migrations: readonly ((layout: Layout) => string)[] = [
  (layout) => createDataTables(layout) + createReplayTables + sharedTables,
]
