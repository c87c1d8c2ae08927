/**
 * Columns that a migration of both engines adds. `owner`: the id of the API client that sends the feed; null for a
 * follower, and before the first batch with an owner. `origin`: the data holder that a version was imported from; null
 * if it was written here.
 */
export const addedColumns = [
  { table: 'feed', column: 'owner' },
  { table: 'product_version', column: 'origin' },
] as const
