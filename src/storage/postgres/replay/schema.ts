export const createReplayTables = `
  -- Rows are purged after minutes, so the table is vacuumed early and in small steps.
  create table token_use (
    token_id text collate "C" primary key,
    kept_until bigint not null  -- seconds since 1970
  ) with (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000,
    autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000,
    autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000,
    autovacuum_vacuum_cost_delay = 0
  );
  create index token_use_kept_until on token_use (kept_until);

  -- One row: the latest time until which a purged record was kept, in seconds since 1970. A token that is kept no longer
  -- than that may have been used before, regardless of the clock.
  create table replay_purge (purged_until bigint not null);
  insert into replay_purge values (0);
`
