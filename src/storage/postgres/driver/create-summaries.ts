import type pg from 'pg'
import { toEpochMilliseconds } from '../../../platform/catalogue/product.ts'
import { summarizeTexts } from '../../../platform/catalogue/summary.ts'
import { escapeNul, unescapeNul } from './escape-nul.ts'

/** How many products are read and written at a time. Few, as a product may be large. */
const batchSize = 500

const create = `
  create table product_summary (
    id text collate "C" not null,
    is_draft boolean not null,    -- a draft has a row of its own
    version integer,              -- null: of a draft
    name text not null,
    name_key text collate "C" not null,  -- case-folded
    brand text collate "C" not null,
    category text not null,
    effective_from bigint,
    effective_to bigint,
    updated_at bigint not null,    -- milliseconds since 1970
    updated_by text not null,
    updated_by_name text not null,
    search text collate "C" not null,    -- name, brand and id, case-folded
    primary key (id, is_draft)
  );
  create index product_summary_updated on product_summary (updated_at desc, id);
  create index product_summary_name on product_summary (name_key, id)`

const products = `select p.id, p.version, v.changed_at, v.changed_by, v.changed_by_name,
    v.shown as record
  from product p join product_version v on v.product = p.id and v.version = p.version
  where p.id > $1 order by p.id limit ${batchSize}`
const drafts = `select product as id, null as version, changed_at, changed_by, changed_by_name, record
  from product_draft where product > $1 order by product limit ${batchSize}`
const write = `insert into product_summary
  select * from unnest($1::text[], $2::boolean[], $3::integer[], $4::text[], $5::text[], $6::text[],
    $7::text[], $8::bigint[], $9::bigint[], $10::bigint[], $11::text[], $12::text[], $13::text[])`

interface Row {
  readonly id: string
  readonly version: number | null
  readonly changed_at: string
  readonly changed_by: string
  readonly changed_by_name: string
  readonly record: string
}

/** Creates the summaries of existing products and drafts from their records. */
export async function createSummaries(client: pg.ClientBase): Promise<void> {
  await client.query(create)
  for (const read of [products, drafts]) {
    let last = ''
    for (;;) {
      const { rows } = await client.query<Row>(read, [last])
      if (rows.length === 0) break
      const created = rows.map(toSummary)
      const columns = created[0]?.map((_, column) => created.map((row) => row[column])) ?? []
      await client.query(write, columns)
      last = rows.at(-1)?.id ?? last
    }
  }
}

function toSummary(row: Row): readonly unknown[] {
  const record = JSON.parse(row.record)
  const { name, nameKey, brand, search } = summarizeTexts(unescapeNul(row.id), record)
  return [
    row.id,
    row.version === null,
    row.version,
    ...[name, nameKey, brand].map(escapeNul),
    record.product_category,
    toEpochMilliseconds(record.effective_from) ?? null,
    toEpochMilliseconds(record.effective_to) ?? null,
    row.changed_at,
    row.changed_by,
    row.changed_by_name,
    escapeNul(search),
  ]
}
