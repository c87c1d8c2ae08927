/** SQL in the triggers of `entry`: the position of the entry's block, and the removal of the summaries from it on. */
const blockOfEntry = '(old.list << 32) + ((old.position & 0xffffffff) - 1) / 4096'
const removeSummaries = ['entry_amounts', 'entry_texts']
  .map(
    (table) =>
      `delete from ${table} where position >= ${blockOfEntry} and position < (old.list + 1) << 32;`,
  )
  .join(' ')

/**
 * Each migration is applied once, in order, and never changed after a release. The version of a database is the number
 * of migrations that were applied to it.
 */
export const statements: readonly string[] = [
  `
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
  create unique index entry_payment on entry (id) where list & 7 = 2;
  `,
  `
  -- The platform's signing keys. A retired key is neither used nor published.
  create table signing_key (
    id text primary key,
    algorithm text not null,
    private_key text not null,  -- a JWK
    created integer not null,   -- milliseconds since 1970
    retired integer
  ) strict;
  `,
  `
  -- Every version of every product. A DELETED version has no record.
  create table product_version (
    product text not null,
    version integer not null,
    change text not null,
    changed_at integer not null,  -- milliseconds since 1970
    changed_by text not null,
    changed_by_name text not null,
    last_updated text not null,
    record text,                  -- as dumped
    shown text,                   -- as served, without the id and the time
    primary key (product, version)
  ) strict, without rowid;

  -- The present products, with the columns that they are filtered by. Times in milliseconds since 1970.
  create table product (
    id text primary key,
    version integer not null,
    category text not null,
    brand text not null,
    effective_from integer,
    effective_to integer,
    updated_at integer not null
  ) strict, without rowid;

  create table idempotency (
    client text not null,
    key text not null,
    digest text not null,         -- of the content that the key was used with
    product text not null,
    created integer not null,
    primary key (client, key)
  ) strict, without rowid;
  create index idempotency_created on idempotency (created);

  create table api_client (
    id text primary key,
    name text not null,
    scopes text not null,
    secret_hash text not null,
    created integer not null,
    rotated integer
  ) strict, without rowid;

  create table api_token (
    digest text primary key,
    client text not null,
    scopes text not null,
    expires integer not null
  ) strict, without rowid;
  create index api_token_client on api_token (client);
  create index api_token_expires on api_token (expires);
  `,
  `
  -- A token is valid while its client has the secret that it was issued for.
  alter table api_token add column secret_hash text;
  update api_token set secret_hash =
    (select c.secret_hash from api_client c where c.id = api_token.client);
  `,
  `
  -- E-mail addresses were case-folded like texts in a filter, which confused some customers. Of a removed customer
  -- only a digest is stored, which cannot be recomputed.
  update customer set email = email_key(record) where record is not null;
  `,
  `
  -- The identity of the replay file that belongs to the database, recorded when it is first served.
  create table replay_file (
    only integer primary key check (only = 1),
    id text not null
  ) strict;
  `,
  `
  -- Removes orphans of deleted accounts and customers, which concurrent loads could leave behind. The lists of an
  -- account are the ranges of positions that begin with its number.
  delete from entry where position in (
    select e.position from account a
    join entry e on e.position between (a.number * 8) << 32 and ((a.number + 1) * 8) << 32
    where a.head is null
  );
  delete from balance where account in (select number from account where head is null);
  delete from contact where account in (select number from account where head is null);
  delete from holder where account in (select number from account where head is null)
    or customer in (select number from customer where record is null);
  `,
  `
  -- The replay file has another name. Versions that would look for it under the earlier one must not open the database.
  `,
  `
  -- The id of a scheduled payment is unique within its account only, like those of other entries. The index may be
  -- missing: an earlier Holdfast that opened the database during this migration could write its lower version.
  drop index if exists entry_payment;
  `,
  `
  -- The state of each feed, and the answers to its last batches. The tables may exist, as for the index above.
  create table if not exists feed (
    name text primary key,
    batch integer not null,       -- the number of the last one
    time integer not null,        -- of its commit, in milliseconds since 1970
    lines integer not null,       -- of all batches
    position text                 -- where a follower continues; null for a feed of the HTTP interface
  ) strict, without rowid;
  create table if not exists feed_batch (
    feed text not null,
    number integer not null,
    digest text not null,
    lines integer not null,
    created integer not null,
    changed integer not null,
    unchanged integer not null,
    deleted integer not null,
    primary key (feed, number)
  ) strict, without rowid;
  `,
  `
  -- Consent: third parties, what the OpenID provider stores, arrangements, passcodes. Times in milliseconds since 1970.
  -- The tables may exist, as for the index above.
  create table if not exists third_party (
    id text primary key,
    name text not null,
    profile text not null,
    redirect_uris text not null,  -- JSON
    scopes text not null,
    jwks text,                    -- JSON; or else:
    jwks_url text,
    created integer not null
  ) strict, without rowid;

  create table if not exists artifact (
    model text not null,
    key text not null,            -- a digest
    grant_id text,                -- the arrangement
    uid text,
    payload text not null,        -- JSON
    expires integer not null,
    consumed integer,
    primary key (model, key)
  ) strict, without rowid;
  create index if not exists artifact_grant on artifact (grant_id) where grant_id is not null;
  create index if not exists artifact_uid on artifact (uid) where uid is not null;
  create index if not exists artifact_expires on artifact (expires);

  create table if not exists arrangement (
    id text primary key,
    third_party text not null,
    customer text not null,
    accounts text not null,       -- JSON
    scopes text not null,
    starts integer not null,
    ends integer not null,
    status text not null,
    updated integer not null
  ) strict, without rowid;
  create index if not exists arrangement_updated on arrangement (updated, id);
  create index if not exists arrangement_customer on arrangement (customer, updated, id);
  create index if not exists arrangement_third_party on arrangement (third_party, updated, id);
  create index if not exists arrangement_active on arrangement (ends) where status = 'active';

  create table if not exists arrangement_change (
    arrangement text not null,
    time integer not null,
    status text not null,
    reason text not null,
    primary key (arrangement, status)
  ) strict, without rowid;

  -- A hash can be verified only with the key, of which the row has the digest.
  create table if not exists passcode (
    key text primary key,
    candidates text not null,     -- JSON: customers and hashes
    sent integer not null,
    expires integer not null,
    tries integer not null,
    used integer not null
  ) strict, without rowid;
  create index if not exists passcode_expires on passcode (expires);

  create table if not exists attempt_limit (
    key text primary key,         -- a keyed digest
    full_at integer not null
  ) strict, without rowid;
  create index if not exists attempt_limit_full_at on attempt_limit (full_at);

  create table if not exists consent_secret (
    name text primary key,
    value text not null
  ) strict, without rowid;
  `,
  `
  -- Drafts of products. The table may exist, as for the index above.
  create table if not exists product_draft (
    product text primary key,
    tag text not null,            -- of the ETag
    base integer not null,        -- the version that it was made from; 0: none
    changed_at integer not null,
    changed_by text not null,
    changed_by_name text not null,
    name text not null,           -- that of the product in the draft
    record text not null
  ) strict, without rowid;
  `,
  `
  -- To list arrangements by their status. The indexes may exist, as above.
  create index if not exists arrangement_status on arrangement (status, updated, id);
  create index if not exists arrangement_third_party_status
    on arrangement (third_party, status, updated, id);
  `,
  `
  -- What a list for people shows of each product and each draft. The table may exist, as for the index above.
  create table if not exists product_summary (
    id text not null,
    is_draft integer not null,    -- a draft has a row of its own
    version integer,              -- null: of a draft
    name text not null,
    name_key text not null,       -- case-folded
    brand text not null,
    category text not null,
    effective_from integer,
    effective_to integer,
    updated_at integer not null,  -- milliseconds since 1970
    updated_by text not null,
    updated_by_name text not null,
    search text not null,         -- name, brand and id, case-folded
    primary key (id, is_draft)
  ) strict, without rowid;
  create index if not exists product_summary_updated on product_summary (updated_at desc, id);
  create index if not exists product_summary_name on product_summary (name_key, id);
  insert or replace into product_summary
    select p.id, 0, p.version,
      summary_text('name', p.id, v.shown -> '$.name', v.shown -> '$.brand'),
      summary_text('nameKey', p.id, v.shown -> '$.name', v.shown -> '$.brand'),
      summary_text('brand', p.id, v.shown -> '$.name', v.shown -> '$.brand'),
      p.category, p.effective_from, p.effective_to, v.changed_at, v.changed_by, v.changed_by_name,
      summary_text('search', p.id, v.shown -> '$.name', v.shown -> '$.brand')
    from product p join product_version v on v.product = p.id and v.version = p.version;
  insert or replace into product_summary
    select product, 1, null,
      summary_text('name', product, record -> '$.name', record -> '$.brand'),
      summary_text('nameKey', product, record -> '$.name', record -> '$.brand'),
      summary_text('brand', product, record -> '$.name', record -> '$.brand'),
      record ->> '$.product_category', effective_time(record ->> '$.effective_from'),
      effective_time(record ->> '$.effective_to'), changed_at, changed_by, changed_by_name,
      summary_text('search', product, record -> '$.name', record -> '$.brand')
    from product_draft;
  `,
  `
  -- Runs of checks, with their reports. The table may exist, as for the index above.
  create table if not exists check_run (
    id text primary key,
    state text not null,
    profile text not null,
    check_groups text,            -- JSON; null: all
    started_by text not null,
    started integer not null,
    updated integer not null,     -- when its process wrote last
    progress text not null,       -- JSON
    error text,
    report text                   -- JSON
  ) strict;
  create unique index if not exists check_run_running on check_run (state) where state = 'running';
  `,
  `
  -- Attempts to give a consent, without data of customers. The table may exist, as above.
  create table if not exists consent_flow (
    id text primary key,
    third_party text not null,
    started integer not null,     -- milliseconds since 1970
    updated integer not null,
    state text not null,
    consent text,                 -- the arrangement that it led to
    step_count integer not null,
    steps text not null           -- a line of JSON for each
  ) strict, without rowid;
  create index if not exists consent_flow_started on consent_flow (started, id);
  create index if not exists consent_flow_state on consent_flow (state, started, id);
  create index if not exists consent_flow_consent on consent_flow (consent) where consent is not null;
  `,
  `
  -- The last load. Times in milliseconds since 1970. The table may exist, as for the index above.
  create table if not exists last_load (
    singleton integer primary key check (singleton = 1),
    time integer not null,        -- of the load, which identifies it
    committed integer not null,
    created integer not null,     -- numbers of lines
    changed integer not null,
    unchanged integer not null,
    deleted integer not null
  ) strict;
  `,
  `
  -- Summaries of long lists of transactions (entry-summary.ts). Lists of earlier versions get theirs when entries are
  -- added to them. The tables may exist, as for the index above, with summaries of entries that have changed since.
  drop table if exists entry_amounts;
  drop table if exists entry_texts;
  create table entry_amounts (
    position integer primary key, -- of the list, with the number of the block instead of an ordinal
    amounts blob not null,
    places blob not null
  ) strict;
  create table entry_texts (position integer primary key, texts blob not null) strict;

  -- A process of an earlier version that has the database open does not maintain the summaries. When it changes or
  -- removes an entry, those from the block of the entry on are removed. It changes the record and the columns for filters
  -- with one statement, later versions with two. It only inserts entries that the summaries do not cover.
  create trigger if not exists entry_changed after update of record on entry when
    old.amount is not new.amount or old.description is not new.description
      or old.reference is not new.reference
  begin
    ${removeSummaries}
  end;
  create trigger if not exists entry_removed after delete on entry when exists (
    select 1 from entry_amounts
    where position = ${blockOfEntry}
      and length(amounts) / 4 > ((old.position & 0xffffffff) - 1) % 4096
  ) begin
    ${removeSummaries}
  end;
  `,
]
