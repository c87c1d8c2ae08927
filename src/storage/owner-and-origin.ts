/** A migration that both engines apply. */
export const addOwnerAndOrigin = `
  -- The id of the API client that sent the first batch. Null: a follower, or a batch before this column existed.
  alter table feed add column owner text;
  -- The data holder that a version was imported from. Null: it was written here.
  alter table product_version add column origin text;
  `
