import { listCodes } from '../../enum-codes.ts'
import { blockEntries, groupEntries, sliceCount } from '../../search-index.ts'

/** The search index of blocks of transactions. A block has all of its rows or none. */

/** The bits of a slice, one for each group of a block. */
export const sliceBits = blockEntries / groupEntries

/** The slices of one row, which fits on a page: a statement reads a slice in place. */
export const slicesPerPart = 110

export const partCount = Math.ceil(sliceCount / slicesPerPart)

/**
 * A change of an entry, by any version of Holdfast, deletes the index of its block in the same statement. New entries
 * that are placed before others change these, and the index does not cover the end of a list.
 */
export const createSearchIndex = `
  create table entry_amounts (
    account bigint not null,
    block integer not null,
    codes integer[] not null,     -- ascending
    places smallint[] not null,   -- the index in the block of the entry with each code
    primary key (account, block)
  );
  create table entry_texts (
    account bigint not null,
    part smallint not null,
    block integer not null,
    slices bit varying not null,
    primary key (account, part, block)
  );
  alter table entry_amounts
    alter column codes set storage external, alter column codes set statistics 0,
    alter column places set storage external, alter column places set statistics 0;
  alter table entry_texts
    alter column slices set storage plain, alter column slices set statistics 0;

  create function discard_search_index() returns trigger language plpgsql security definer as $$
    begin
      with changed as materialized (
        select distinct account, (ordinal - 1) / ${blockEntries} as block
        from before where list = ${listCodes.transaction}
      ), texts as (
        delete from entry_texts s using changed c, generate_series(0, ${partCount - 1}) as p(number)
        where s.account = c.account and s.part = p.number::smallint and s.block = c.block
      )
      delete from entry_amounts s using changed c
      where s.account = c.account and s.block = c.block;
      return null;
    end $$;
  do $$
    begin
      -- The function has the rights of its owner, so it must not find tables that its caller has created.
      execute format('alter function discard_search_index() set search_path = %I, pg_temp',
        current_schema());
    end $$;
  create trigger entry_updated after update on entry referencing old table as before
    for each statement execute function discard_search_index();
  create trigger entry_deleted after delete on entry referencing old table as before
    for each statement execute function discard_search_index();`
