/** The caller sorts the ids: processes that record the same ids wait for each other without a deadlock. */
export const insertUses = `insert into token_use select * from unnest($1::text[], $2::bigint[])
  on conflict do nothing returning token_id`

/** As JSON: a token id may have U+0000, which PostgreSQL cannot store. */
export const encodeTokenId = (tokenId: string): string => JSON.stringify(tokenId)
