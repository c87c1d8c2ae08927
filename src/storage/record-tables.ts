import type { TableDialect } from './platform/schema.ts'

/** The tables of the records of one side, and of the keys that it signs them with. */
export interface RecordTables {
  readonly block: string
  readonly key: string
  readonly signingKey: string
}

/** The platform signs its tokens with the same keys. */
export const platformRecords: RecordTables = {
  block: 'record_block',
  key: 'record_key',
  signingKey: 'signing_key',
}

/** On SQLite, they are in the replay file: a record has one commit with the use of its token. */
export const providerRecords: RecordTables = {
  block: 'provider_record_block',
  key: 'provider_record_key',
  signingKey: 'provider_signing_key',
}

export const createRecordTables = (
  { key, smallint, bigint, options, numberOptions }: TableDialect,
  tables: RecordTables,
) => `
  -- A retired key is neither used nor published.
  create table ${tables.signingKey} (
    id ${key} primary key,
    algorithm text not null,
    private_key text not null,    -- a JWK
    created ${bigint} not null,
    retired ${bigint}
  )${options};

  -- What each request got, in blocks that are never changed. See src/disclosures/block.ts.
  create table ${tables.block} (
    chain ${key} not null,
    number ${bigint} not null,
    time ${bigint} not null,
    previous text not null,       -- the hash of the block before it
    hash text not null,
    lines text not null,          -- JSON
    primary key (chain, number)
  )${numberOptions};
  create index ${tables.block}_time on ${tables.block} (time, chain, number);

  -- What the blocks of a record are found by.
  create table ${tables.key} (
    kind ${smallint} not null,    -- 1: the customer, 2: the interaction
    id ${key} not null,
    time ${bigint} not null,
    chain ${key} not null,
    number ${bigint} not null,
    primary key (kind, id, time, chain, number)
  )${options};
`
