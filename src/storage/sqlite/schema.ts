/**
 * Each step is applied once, in order, and never changed after a release. The version of a database is
 * the number of steps it has seen.
 */
export const migrations: readonly string[] = [
  `
  create table customer (
    number integer primary key,
    id text not null unique,
    email text,                 -- without case
    match text,                 -- what a search by e-mail shows
    record text,                -- null: mentioned by an account, or removed
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
    is_owned_text text,         -- what the record itself said of isOwned
    shareable text,
    head text,                  -- null: mentioned, or removed
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
    status text not null,
    record text not null
  ) strict;

  -- The lists of every account. The place of an entry is its list and its ordinal in it, from the oldest,
  -- in one number: a page is one range of the table, and a total one subtraction.
  create table entry (
    position integer primary key,
    list integer not null,
    time integer not null,
    id text not null,
    amount text,                -- as a key that sorts like the number
    description text,           -- without case
    reference text,
    record text not null
  ) strict;
  create unique index entry_id on entry (list, id);
  create index entry_time on entry (list, time);
  create unique index entry_payment on entry (id) where list & 7 = 2;

  create table product (id text primary key, record text not null) strict, without rowid;
  `,
  `
  -- The platform's own keys. A retired one signs no more and is no longer published.
  create table signing_key (
    id text primary key,
    algorithm text not null,
    private_key text not null,  -- a JWK
    created integer not null,   -- milliseconds since 1970
    retired integer
  ) strict;
  `,
]
