/** In the layout `citus`, the entries and the tables that merge them are distributed by account; all else is not. */

const payload = `
    amount text collate "C",
    description text,
    reference text,
    record text`

/** Empty between merges. They are logged: Citus does not move a shard beside an unlogged table. */
const mergeTables = {
  merge_line: `
    account bigint not null,
    list smallint not null,     -- negative: every entry of an account of that kind is removed, unless another line puts it
    id text collate "C" not null,
    is_put boolean not null,
    has_own_time boolean,
    file integer,
    time bigint,
    earlier_time bigint,        -- assigned by an earlier batch
    ${payload},
    primary key (account, list, id)`,
  merge_change: `
    account bigint not null,
    list smallint not null,
    id text collate "C" not null,
    outcome smallint not null,
    has_own_time boolean,
    file integer,
    ordinal_before integer,
    time bigint,
    time_before bigint,
    assigned_before bigint,
    ${payload},
    primary key (account, list, id)`,
  merge_reorder: `
    account bigint not null,
    list smallint not null,
    since bigint not null,
    ordinal integer not null,
    is_append boolean not null,
    primary key (account, list)`,
  merge_position: `
    account bigint not null,
    list smallint not null,
    id text collate "C" not null,
    ordinal integer not null,
    is_new boolean not null,
    primary key (account, list, id)`,
  merge_correction: `
    account bigint not null,
    list smallint not null,
    id text collate "C" not null,
    primary key (account, list, id)`,
} as const

export const mergeTableNames = Object.keys(mergeTables)

/** `generation` is that of the last load that changed a list of the account. Reads compare that of a shard with that of the coordinator. */
const state = 'account bigint primary key, generation bigint not null'

export const createDistributedEntries = (entryColumns: string, shards: number) => `
  create table entry (
    ${entryColumns},
    primary key (account, list, id)
  );
  create index entry_ordinal on entry (account, list, ordinal);
  create index entry_time on entry (account, list, time, ordinal);
  select create_distributed_table('entry', 'account', colocate_with => 'none', shard_count => ${shards});
  create table entry_state (${state});
  ${Object.entries(mergeTables)
    .map(([name, columns]) => `create table ${name} (${columns});`)
    .join('\n  ')}
  ${['entry_state', ...mergeTableNames]
    .map(
      (name) => `select create_distributed_table('${name}', 'account', colocate_with => 'entry');`,
    )
    .join('\n  ')}

  -- The state that the coordinator has of the lists.
  create table account_state (${state});`
