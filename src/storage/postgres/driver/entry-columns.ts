/** The columns of the entries in both layouts. */
export const entryColumns = `account bigint not null,
    list smallint not null,
    has_own_time boolean not null, -- false: the time was assigned, as the record has none
    ordinal integer not null,
    time bigint not null,
    id text collate "C" not null,
    amount text collate "C",    -- a key that sorts like the number
    description text,           -- case-folded
    reference text,
    record text not null`
