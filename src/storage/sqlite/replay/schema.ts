export const createReplayTables = `
  create table if not exists token_use (
    token_id text primary key, kept_until integer not null
  ) strict, without rowid;
  -- One row: the latest time until which a purged record was kept. A token that is kept no longer than that may have
  -- been used before, regardless of the clock.
  create table if not exists replay_purge (
    id integer primary key check (id = 1), purged_until integer not null
  ) strict;
  insert or ignore into replay_purge values (1, 0);
`
