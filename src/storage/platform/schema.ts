/** What the engines write differently in the definition of a table. */
export interface TableDialect {
  /** A text that is compared byte by byte. */
  readonly key: string
  /** Integers of 16 and 64 bits. */
  readonly smallint: string
  readonly bigint: string
  readonly boolean: string
  /** A primary key that grows with each row. */
  readonly sequence: string
  /** SQL literals. */
  readonly false: string
  /** What follows the columns of a table with a primary key that is one number, or another one. */
  readonly numberOptions: string
  readonly options: string
}

/** The tables of customers and accounts. A row without a record is a placeholder, or removed. */
export const createAccountTables = (dialect: TableDialect, accountNumber: string) => {
  const { key, smallint, bigint, boolean, sequence, options, numberOptions } = dialect
  return `
  create table customer (
    number ${sequence},
    id ${key} not null unique,
    email ${key},                 -- the key for a search by e-mail
    match text,                   -- the result of a search by e-mail
    emails text,                  -- a JSON array of further addresses, as they were loaded
    record text,
    email_hash ${key},            -- of the person who has or had the id
    name_hash ${key}
  )${numberOptions};
  create index customer_email on customer (email, id) where email is not null;

  -- The keys of the further addresses.
  create table further_email (
    customer ${bigint} not null,
    email ${key} not null,
    primary key (customer, email)
  )${options};
  create index further_email_search on further_email (email, customer);

  create table account (
    number ${accountNumber},
    id ${key} not null unique,
    kind ${smallint} not null default 0, -- 0: a placeholder, or removed
    is_open ${boolean} not null default ${dialect.false},
    category text,
    created ${bigint} not null default 0,
    is_owned_text text,           -- isOwned in the record itself
    shareable text,
    head text,
    tail text,
    detail text
  )${numberOptions};

  create table holder (
    customer ${bigint} not null,
    account ${bigint} not null,
    is_owned ${boolean} not null,
    primary key (customer, account)
  )${options};
  create index holder_account on holder (account);

  create table balance (account ${bigint} primary key, record text not null)${numberOptions};
  create table contact (
    account ${bigint} primary key,
    kind ${smallint} not null,    -- of the account; 0: it does not exist, and may be of either kind
    status text not null,
    record text not null
  )${numberOptions};

  -- By the ids of accounts and customers, which need not exist.
  create table restriction (
    target ${smallint} not null,  -- 1: an account, 2: a customer
    id ${key} not null,
    reason text not null,
    until ${bigint} not null,     -- in milliseconds since 1970
    record text not null,
    primary key (target, id)
  )${options};`
}

/** The tables of the catalogue, its clients, consent, check runs and feeds. Times are in milliseconds since 1970. */
export const createSharedTables = ({ key, bigint, boolean, sequence, options }: TableDialect) => `
  create table api_client (
    id ${key} primary key,
    name text not null,
    scopes text not null,
    secret_hash text not null,
    created ${bigint} not null,
    rotated ${bigint}
  )${options};

  create table api_token (
    digest ${key} primary key,
    client ${key} not null,
    scopes text not null,
    expires ${bigint} not null,
    secret_hash text not null     -- the token is valid while its client has this one
  )${options};
  create index api_token_expires on api_token (expires);

  -- Sessions of browsers.
  create table browser_session (
    digest ${key} primary key,    -- of the cookie
    id ${key} not null unique,
    user_id ${key} not null,      -- the subject of a person, or the id of an API client
    issuer ${key} not null,       -- the identity provider of a person; empty for an API client
    name text not null,
    scopes text not null,
    secret_hash text not null,    -- of an API client, as in api_token; of a person, of the rules
    started ${bigint} not null,
    used ${bigint} not null,
    expires ${bigint} not null,   -- unless it is used before
    ends ${bigint} not null,
    address text not null,        -- its kind
    id_token text                 -- of a person, encrypted with a key that the browser has
  )${options};
  create index browser_session_user on browser_session (user_id, issuer, used desc);
  create index browser_session_expires on browser_session (expires);

  create table idempotency (
    client ${key} not null,       -- or a person
    key ${key} not null,
    digest text not null,         -- of the content that the key was used with
    product ${key} not null,
    created ${bigint} not null,
    primary key (client, key)
  )${options};
  create index idempotency_created on idempotency (created);

  -- Every version of every product. A DELETED version has no record.
  create table product_version (
    product ${key} not null,
    version integer not null,
    change text not null,
    changed_at ${bigint} not null,
    changed_by text not null,     -- an id; of a person, the subject
    changed_by_name text not null,
    changed_by_issuer text,       -- the identity provider of a person
    last_updated text not null,
    record text,                  -- as dumped
    shown text,                   -- as served, without the id and the time
    origin text,                  -- the data holder that it was imported from; null: written here
    primary key (product, version)
  )${options};

  -- The present products, with the columns that they are filtered by.
  create table product (
    id ${key} primary key,
    version integer not null,
    category text not null,
    brand ${key} not null,
    effective_from ${bigint},
    effective_to ${bigint},
    updated_at ${bigint} not null
  )${options};

  create table product_draft (
    product ${key} primary key,
    tag text not null,            -- of the ETag
    base ${bigint} not null,      -- the version that it was made from; 0: none
    changed_at ${bigint} not null,
    changed_by text not null,
    changed_by_name text not null,
    changed_by_issuer text,
    name text not null,           -- that of the product in the draft
    record text not null
  )${options};

  -- What a list for people shows of each product and each draft.
  create table product_summary (
    id ${key} not null,
    is_draft ${boolean} not null, -- a draft has a row of its own
    version integer,              -- null: of a draft
    name text not null,
    name_key ${key} not null,     -- case-folded
    brand ${key} not null,
    category text not null,
    effective_from ${bigint},
    effective_to ${bigint},
    updated_at ${bigint} not null,
    updated_by text not null,
    updated_by_name text not null,
    updated_by_issuer text,
    search ${key} not null,       -- name, brand and id, case-folded
    primary key (id, is_draft)
  )${options};
  create index product_summary_updated on product_summary (updated_at desc, id);
  create index product_summary_name on product_summary (name_key, id);

  create table third_party (
    id ${key} primary key,
    name text not null,
    profile text not null,
    redirect_uris text not null,  -- JSON
    scopes text not null,
    jwks text,                    -- JSON; or else:
    jwks_url text,
    recipient_base_uri text,
    created ${bigint} not null
  )${options};

  -- What the OpenID provider stores.
  create table artifact (
    model ${key} not null,
    key ${key} not null,          -- a digest
    grant_id ${key},              -- the arrangement
    uid ${key},
    payload text not null,        -- JSON
    expires ${bigint} not null,
    consumed ${bigint},
    primary key (model, key)
  )${options};
  create index artifact_grant on artifact (grant_id) where grant_id is not null;
  create index artifact_uid on artifact (uid) where uid is not null;
  create index artifact_expires on artifact (expires);

  create table arrangement (
    id ${key} primary key,
    third_party ${key} not null,
    customer ${key} not null,
    accounts text not null,       -- JSON
    scopes text not null,
    starts ${bigint} not null,
    ends ${bigint} not null,
    status text not null,
    updated ${bigint} not null,
    version_of ${key}             -- the arrangement that these were the terms of, until it was amended
  )${options};
  create index arrangement_version on arrangement (version_of, updated)
    where version_of is not null;
  create index arrangement_updated on arrangement (updated, id);
  create index arrangement_customer on arrangement (customer, updated, id);
  create index arrangement_third_party on arrangement (third_party, updated, id);
  create index arrangement_active on arrangement (ends) where status = 'active';
  create index arrangement_status on arrangement (status, updated, id);
  create index arrangement_third_party_status on arrangement (third_party, status, updated, id);

  create table arrangement_change (
    arrangement ${key} not null,
    time ${bigint} not null,
    status text not null,
    reason text not null,
    changed_by text,              -- of an operator
    changed_by_name text,
    changed_by_issuer text,
    primary key (arrangement, status)
  )${options};

  -- The last changes of the state of each account. An account without one is available.
  create table account_change (
    arrangement ${key} not null,
    account ${key} not null,
    time ${bigint} not null,
    state text not null,
    reason text not null,
    primary key (arrangement, account, time)
  )${options};

  -- When data of each scope was disclosed.
  create table disclosure (
    arrangement ${key} not null,
    scope ${key} not null,
    first_time ${bigint} not null,
    last_time ${bigint} not null,
    primary key (arrangement, scope)
  )${options};

  -- Messages that leave the platform. A claim moves the due time to the end of its lease.
  create table outbox (
    id ${key} primary key,
    arrangement ${key} not null,
    kind text not null,
    recipient ${key} not null,    -- the id of the third party, or 'customers'
    created ${bigint} not null,
    due ${bigint} not null,       -- of the next attempt
    attempts integer not null,
    lease text,                   -- the id of the claim
    state text not null,
    error text,                   -- of the last attempt
    settled ${bigint}
  )${options};
  create index outbox_due on outbox (recipient, due) where state = 'waiting';
  create index outbox_created on outbox (created) where state = 'waiting';
  create index outbox_arrangement on outbox (arrangement);

  -- Attempts to give a consent, without data of customers.
  create table consent_flow (
    id ${key} primary key,
    third_party ${key} not null,
    started ${bigint} not null,
    updated ${bigint} not null,
    state text not null,
    consent ${key},               -- the arrangement that it led to
    is_once ${boolean} not null,  -- the third party asks for data once
    stages integer,               -- how many it has passed; null: no customer began to give a consent
    step_count integer not null,
    steps text not null           -- a line of JSON for each
  )${options};
  create index consent_flow_started on consent_flow (started, id);
  create index consent_flow_state on consent_flow (state, started, id);
  create index consent_flow_stages on consent_flow (started, stages, state, is_once)
    where stages is not null;
  create index consent_flow_consent on consent_flow (consent) where consent is not null;

  -- A hash can be verified only with the key, of which the row has the digest.
  create table passcode (
    key ${key} primary key,
    candidates text not null,     -- JSON: customers and hashes
    sent ${bigint} not null,
    expires ${bigint} not null,
    tries integer not null,
    used integer not null
  )${options};
  create index passcode_expires on passcode (expires);

  create table attempt_limit (
    key ${key} primary key,       -- a keyed digest
    full_at ${bigint} not null
  )${options};
  create index attempt_limit_full_at on attempt_limit (full_at);

  create table consent_secret (
    name ${key} primary key,
    value text not null
  )${options};

  -- A row is an option that is on, for every process and command.
  create table consent_option (
    name ${key} primary key
  )${options};

  -- Runs of checks, with their reports.
  create table check_run (
    sequence ${sequence},         -- the order of their starts: the clock may have been set back
    id ${key} not null unique,
    state text not null,
    profile text not null,
    check_groups text,            -- JSON; null: all
    started_by text not null,
    started ${bigint} not null,
    updated ${bigint} not null,   -- when its process wrote last
    progress text not null,       -- JSON
    error text,
    report text                   -- JSON
  );
  create unique index check_run_running on check_run (state) where state = 'running';

  create table feed (
    name ${key} primary key,
    batch ${bigint} not null,     -- the number of the last one
    time ${bigint} not null,      -- of its commit
    lines ${bigint} not null,     -- of all batches
    position text,                -- where a follower continues; null for a feed of the HTTP interface
    owner text,                   -- the id of the API client that sends it; null for a follower
    usual ${bigint}               -- milliseconds between the last batches; null before the second
  )${options};

  -- The last batches of each feed, to answer one that is sent again.
  create table feed_batch (
    feed ${key} not null,
    number ${bigint} not null,
    digest text not null,
    lines ${bigint} not null,
    created ${bigint} not null,
    changed ${bigint} not null,
    unchanged ${bigint} not null,
    deleted ${bigint} not null,
    primary key (feed, number)
  )${options};
`
