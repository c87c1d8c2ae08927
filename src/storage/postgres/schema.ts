/** How the first migration lays a database out. It cannot be changed afterwards. */
export interface Layout {
  /** Into how many tables the histories are divided, by account. */
  readonly partitions: number
}

/**
 * Each step is applied once, in order, and never changed after a release. The version of a database is
 * the number of steps it has seen.
 *
 * Texts that are compared have the collation "C": by their bytes, in every database the same.
 */
export const migrations: readonly ((layout: Layout) => string)[] = [
  ({ partitions }) => `
  create table customer (
    number bigint generated always as identity primary key,
    id text collate "C" not null unique,
    email text collate "C",     -- without case
    match text,                 -- what a search by e-mail shows
    record text,                -- null: removed
    email_hash text,            -- of the person who had the id, kept when the record is removed
    name_hash text
  );
  create index customer_email on customer (email, id) where email is not null;

  create table account (
    number bigint generated always as identity primary key,
    id text collate "C" not null unique,
    kind smallint not null,
    is_open boolean not null,
    category text,
    created bigint not null,
    is_owned_text text,         -- what the record itself said of isOwned
    shareable text not null,
    head text not null,
    tail text not null,
    detail text
  );

  create table holder (
    customer bigint not null,
    account bigint not null,
    is_owned boolean not null,
    primary key (customer, account)
  );
  create index holder_account on holder (account);

  create table balance (account bigint primary key, record text not null);
  create table contact (account bigint primary key, status text not null, record text not null);

  -- The lists of every account. An entry carries its ordinal in its list, from the oldest: a page is one
  -- range of the index, and a total one subtraction.
  create table entry (
    account bigint not null,
    list smallint not null,
    ordinal integer not null,
    time bigint not null,
    id text collate "C" not null,
    amount text collate "C",    -- as a key that sorts like the number
    description text,           -- without case
    reference text,
    record text not null
  ) partition by hash (account);
  create index entry_ordinal on entry (account, list, ordinal);
  create unique index entry_id on entry (account, list, id);
  create index entry_time on entry (account, list, time, ordinal);
  ${Array.from(
    { length: partitions },
    (_, index) =>
      `create table entry_${index} partition of entry for values with (modulus ${partitions}, remainder ${index});`,
  ).join('\n  ')}

  -- A scheduled payment has one id over all accounts, which no index of a divided table can hold.
  create table payment (id text collate "C" primary key, account bigint not null);

  create table product (id text collate "C" primary key, record text not null);

  -- Rows that live for minutes: what is purged is made room of soon, and a little at a time.
  create table claim (
    token text collate "C" primary key, -- a digest of the token's id
    kept_until bigint not null          -- seconds since 1970
  ) with (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000,
    autovacuum_vacuum_cost_delay = 0
  );
  create index claim_kept_until on claim (kept_until);

  create table signing_key (
    id text collate "C" primary key,
    algorithm text not null,
    private_key text not null,  -- a JWK
    created bigint not null,    -- milliseconds since 1970
    retired bigint
  );
  `,
]
