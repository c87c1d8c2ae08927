import { createSharedTables } from '../../platform/schema.ts'

/** Recorded in every database, so that it is not mistaken for that of another program: "hold". */
export const applicationId = 0x686f6c64

const createDataTables = `
  create table customer (
    number integer primary key,
    id text not null unique,
    email text,                 -- the key for a search by e-mail
    match text,                 -- the result of a search by e-mail
    record text,                -- null: a placeholder, or removed
    email_hash text,            -- of the person who had the id, kept when the record is removed
    name_hash text
  ) strict;
  create index customer_email on customer (email, id) where email is not null;

  create table account (
    number integer primary key,
    id text not null unique,
    kind integer not null default 0,
    is_open integer not null default 0,
    category text,
    created integer not null default 0,
    is_owned_text text,         -- isOwned in the record itself
    shareable text,
    head text,                  -- null: a placeholder, or removed
    tail text,
    detail text
  ) strict;

  create table holder (
    customer integer not null,
    account integer not null,
    is_owned integer not null,
    primary key (customer, account)
  ) strict, without rowid;
  create index holder_account on holder (account);

  create table balance (account integer primary key, record text not null) strict;
  create table contact (
    account integer primary key,
    kind integer not null,      -- of the account; 0: it does not exist, and may be of either kind
    status text not null,
    record text not null
  ) strict;

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

const sharedTables = createSharedTables({
  key: 'text',
  bigint: 'integer',
  boolean: 'integer',
  sequence: 'integer primary key',
  options: ' strict, without rowid',
})

/** Each migration is applied once, in order, and never changed after a release. */
export const migrations: readonly string[] = [
  `pragma application_id = ${applicationId}; ${createDataTables} ${sharedTables}`,
]
