import type pg from 'pg'
import type { DatabaseLayout } from '../../database.ts'
import { addedColumns } from '../../owner-and-origin.ts'
import { partitionBits, partitionTable } from '../partition.ts'
import { createSummaries } from './create-summaries.ts'
import { createDistributedEntries } from './distributed-tables.ts'
import { entryColumns } from './entry-columns.ts'
import { createEntrySummaries } from './entry-summary-tables.ts'
import { rekeyCustomers } from './rekey-customers.ts'

/** The layout that the first migration creates. It cannot be changed afterwards. */
export interface Layout {
  readonly layout: DatabaseLayout
  /** The number of partitions or shards of the entries, by account. */
  readonly partitions: number
}

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

/** SQL, or a function for what SQL cannot do, in the same transaction. */
export type Step = string | ((client: pg.ClientBase) => Promise<void>)

/**
 * Each migration is applied once, in order, and never changed after a release. The version of a database is the number
 * of migrations that were applied to it.
 *
 * Texts that are compared have the collation "C": byte by byte, the same in every database.
 */
export const migrations: readonly ((layout: Layout) => Step)[] = [
  ({ partitions, layout }) => `
  create table customer (
    number bigint generated always as identity primary key,
    id text collate "C" not null unique,
    email text collate "C",     -- the key for a search by e-mail
    match text,                 -- the result of a search by e-mail
    record text,                -- null: removed
    email_hash text not null,   -- of the person who has or had the id
    name_hash text not null
  );
  create index customer_email on customer (email, id) where email is not null;

  -- The number of an account begins with the partition of its entries, which is derived from the account id: a query by
  -- id names the table of the partition (partition.ts).
  create table account (
    number bigint primary key,
    id text collate "C" not null unique,
    kind smallint not null,
    is_open boolean not null,
    category text,
    created bigint not null,
    is_owned_text text,         -- isOwned in the record itself
    shareable text not null,
    head text not null,
    tail text not null,
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
  create table contact (account bigint primary key, status text not null, record text not null);

  -- The lists of every account. An entry has an ordinal in its list, from the oldest: a page is one range of the index,
  -- and a total one subtraction.
${layout === 'citus' ? createDistributedEntries(partitions) : createPartitions(partitions)}

  -- The id of a scheduled payment is unique across all accounts, which no index of a partitioned table can enforce.
  create table payment (id text collate "C" primary key, account bigint not null);

  -- Rows are purged after minutes, so the table is vacuumed early and in small steps.
  create table claim (
    token_id text collate "C" primary key,
    kept_until bigint not null  -- seconds since 1970
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
  () => `
  -- Every version of every product. A DELETED version has no record.
  create table product_version (
    product text collate "C" not null,
    version integer not null,
    change text not null,
    changed_at bigint not null,   -- milliseconds since 1970
    changed_by text not null,
    changed_by_name text not null,
    last_updated text not null,
    record text,                  -- as dumped
    shown text,                   -- as served, without the id and the time
    primary key (product, version)
  );

  -- The present products, with the columns that they are filtered by. Times in milliseconds since 1970.
  create table product (
    id text collate "C" primary key,
    version integer not null,
    category text not null,
    brand text collate "C" not null,
    effective_from bigint,
    effective_to bigint,
    updated_at bigint not null
  );

  create table idempotency (
    client text not null,
    key text collate "C" not null,
    digest text not null,         -- of the content that the key was used with
    product text collate "C" not null,
    created bigint not null,
    primary key (client, key)
  );
  create index idempotency_created on idempotency (created);

  create table api_client (
    id text primary key,
    name text not null,
    scopes text not null,
    secret_hash text not null,
    created bigint not null,
    rotated bigint
  );

  create table api_token (
    digest text primary key,
    client text not null,
    scopes text not null,
    expires bigint not null
  );
  create index api_token_client on api_token (client);
  create index api_token_expires on api_token (expires);
  `,
  () => `
  -- One row: the latest time until which a purged record was kept, in seconds since 1970. A token that is kept no longer
  -- than that may have been used before, regardless of the clock.
  create table replay_purge (purged_until bigint not null);
  insert into replay_purge values (0);
  `,
  () => `
  -- A token is valid while its client has the secret that it was issued for.
  alter table api_token add column secret_hash text;
  update api_token set secret_hash =
    (select c.secret_hash from api_client c where c.id = api_token.client);
  `,
  // E-mail addresses were case-folded like texts in a filter, which confused some customers.
  () => rekeyCustomers,
  () => `
  alter table claim rename to token_use;
  alter index claim_pkey rename to token_use_pkey;
  alter index claim_kept_until rename to token_use_kept_until;
  `,
  () => `
  -- The id of a scheduled payment is unique within its account only, like those of other entries.
  drop table payment;
  `,
  () => `
  create table feed (
    name text collate "C" primary key,
    batch bigint not null,        -- the number of the last one
    time bigint not null,         -- of its commit, in milliseconds since 1970
    lines bigint not null,        -- of all batches
    position text                 -- where a follower continues
  );

  -- The last batches of each feed, to answer one that is sent again.
  create table feed_batch (
    feed text collate "C" not null,
    number bigint not null,
    digest text not null,
    lines bigint not null,
    created bigint not null,
    changed bigint not null,
    unchanged bigint not null,
    deleted bigint not null,
    primary key (feed, number)
  );
  `,
  () => `
  -- Consent: third parties, what the OpenID provider stores, arrangements, passcodes. Times in milliseconds since 1970.
  create table third_party (
    id text collate "C" primary key,
    name text not null,
    profile text not null,
    redirect_uris text not null,  -- JSON
    scopes text not null,
    jwks text,                    -- JSON; or else:
    jwks_url text,
    created bigint not null
  );

  create table artifact (
    model text collate "C" not null,
    key text collate "C" not null,            -- a digest
    grant_id text collate "C",                -- the arrangement
    uid text collate "C",
    payload text not null,        -- JSON
    expires bigint not null,
    consumed bigint,
    primary key (model, key)
  );
  create index artifact_grant on artifact (grant_id) where grant_id is not null;
  create index artifact_uid on artifact (uid) where uid is not null;
  create index artifact_expires on artifact (expires);

  create table arrangement (
    id text collate "C" primary key,
    third_party text collate "C" not null,
    customer text collate "C" not null,
    accounts text not null,       -- JSON
    scopes text not null,
    starts bigint not null,
    ends bigint not null,
    status text not null,
    updated bigint not null
  );
  create index arrangement_updated on arrangement (updated, id);
  create index arrangement_customer on arrangement (customer, updated, id);
  create index arrangement_third_party on arrangement (third_party, updated, id);
  create index arrangement_active on arrangement (ends) where status = 'active';

  create table arrangement_change (
    arrangement text collate "C" not null,
    time bigint not null,
    status text not null,
    reason text not null,
    primary key (arrangement, status)
  );

  -- A hash can be verified only with the key, of which the row has the digest.
  create table passcode (
    key text collate "C" primary key,
    candidates text not null,     -- JSON: customers and hashes
    sent bigint not null,
    expires bigint not null,
    tries integer not null,
    used integer not null
  );
  create index passcode_expires on passcode (expires);

  create table attempt_limit (
    key text collate "C" primary key,         -- a keyed digest
    full_at bigint not null
  );
  create index attempt_limit_full_at on attempt_limit (full_at);

  create table consent_secret (
    name text collate "C" primary key,
    value text not null
  );
  `,
  () => `
  create table product_draft (
    product text collate "C" primary key,
    tag text not null,            -- of the ETag
    base bigint not null,         -- the version that it was made from; 0: none
    changed_at bigint not null,
    changed_by text not null,
    changed_by_name text not null,
    name text not null,           -- that of the product in the draft
    record text not null
  );
  `,
  () => `
  create index arrangement_status on arrangement (status, updated, id);
  create index arrangement_third_party_status on arrangement (third_party, status, updated, id);
  `,
  // What a list for people shows of each product and each draft.
  () => createSummaries,
  () => `
  -- Runs of checks, with their reports.
  create table check_run (
    id text collate "C" primary key,
    state text not null,
    profile text not null,
    check_groups text,            -- JSON; null: all
    started_by text not null,
    started bigint not null,
    updated bigint not null,      -- when its process wrote last
    progress text not null,       -- JSON
    error text,
    report text                   -- JSON
  );
  create unique index check_run_running on check_run (state) where state = 'running';
  `,
  () => `
  -- Attempts to give a consent, without data of customers.
  create table consent_flow (
    id text collate "C" primary key,
    third_party text collate "C" not null,
    started bigint not null,      -- milliseconds since 1970
    updated bigint not null,
    state text not null,
    consent text collate "C",     -- the arrangement that it led to
    step_count integer not null,
    steps text not null           -- a line of JSON for each
  );
  create index consent_flow_started on consent_flow (started, id);
  create index consent_flow_state on consent_flow (state, started, id);
  create index consent_flow_consent on consent_flow (consent) where consent is not null;
  `,
  () => `
  create table last_load (
    singleton integer primary key check (singleton = 1),
    time bigint not null,         -- of the load, which identifies it
    committed bigint not null,
    created bigint not null,      -- numbers of lines
    changed bigint not null,
    unchanged bigint not null,
    deleted bigint not null
  );
  `,
  () => `
  -- The order in which runs were started: the clock may have been set back. The table has at most ten rows.
  alter table check_run add column sequence bigint;
  update check_run r set sequence =
    (select count(*) from check_run o where (o.started, o.id) <= (r.started, r.id));
  alter table check_run alter column sequence set not null,
    alter column sequence add generated always as identity (start with 100);
  `,
  ({ layout }) => (layout === 'citus' ? '' : createEntrySummaries),
  () =>
    addedColumns
      .map(({ table, column }) => `alter table ${table} add column ${column} text;`)
      .join(' '),
]
